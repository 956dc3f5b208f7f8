"""Names that letters and papers of the nineteenth century are full of: persons, places, bodies.

Common given names, surnames and places are facts; the lists were written down for this project.
They are long, so that most mentions on a page are distinct. ``TITLES`` go before surnames.
"""

from __future__ import annotations


def _listed(text: str, part: str | None = None) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in text.split(part))


MEN = _listed("""
    Abner Abraham Adam Albert Alexander Alfred Allen Ambrose Amos Andrew Anthony Archibald Arthur
    Asa Augustus Benjamin Bernard Caleb Calvin Charles Chester Christopher Clarence Clement
    Cornelius Cyrus Daniel David Dennis Edgar Edmund Edward Edwin Eli Elias Elijah Elisha Emory
    Ephraim Ernest Eugene Ezra Felix Ferdinand Francis Franklin Frederick George Gideon Gilbert
    Harold Harrison Harvey Henry Herbert Herman Hiram Horace Howard Hugh Ira Isaac Israel Jacob
    James Jasper Jeremiah Jerome Jesse John Jonathan Joseph Joshua Josiah Julius Lawrence Leonard
    Levi Lewis Lloyd Louis Lucius Luther Marcus Martin Matthew Maurice Michael Morris Moses Nathan
    Nathaniel Nicholas Noah Oliver Oscar Owen Patrick Paul Peter Philip Ralph Reuben Richard Robert
    Roger Rufus Samuel Seth Silas Simeon Simon Solomon Stephen Sylvester Thaddeus Theodore Thomas
    Timothy Tobias Victor Vincent Walter Warren Wesley Wilbur William Zachary
""")
WOMEN = _listed("""
    Abigail Ada Adelaide Agnes Alice Amanda Amelia Anna Arabella Augusta Beatrice Bertha Caroline
    Catherine Charlotte Clara Clarissa Constance Cora Cordelia Deborah Dorothy Edith Eleanor Eliza
    Elizabeth Ellen Emily Emma Esther Eunice Fanny Flora Florence Frances Grace Hannah Harriet
    Helen Henrietta Hester Ida Isabel Jane Josephine Julia Laura Lavinia Louisa Lucinda Lucy Lydia
    Margaret Maria Martha Mary Matilda Minnie Nancy Olive Pauline Phoebe Priscilla Rachel Rebecca
    Rosa Ruth Sarah Sophia Susan Theresa Victoria Virginia Winifred
""")
SURNAMES = _listed("""
    Abbott Adams Ainsworth Alden Aldrich Alexander Allen Ames Anderson Andrews Appleton Archer
    Armstrong Arnold Atkinson Atwood Austin Avery Babcock Bailey Baldwin Ballard Bancroft Barker
    Barlow Barnes Barrett Bartlett Barton Bates Baxter Beecher Bellows Benedict Bennett Benson
    Bigelow Bishop Blackwell Blake Blanchard Bowen Bowman Boyd Bradford Bradley Brewster Bridges
    Briggs Bristow Brooks Browning Bryant Buchanan Buckley Burgess Burnham Burton Butler Byrd
    Caldwell Calhoun Cameron Campbell Carpenter Carroll Carter Carver Chadwick Chamberlain Chandler
    Chapman Chase Church Churchill Clark Clayton Clement Clifford Coburn Coffin Colby Coleman
    Collins Conway Cooper Corbin Cornell Crane Crawford Crocker Crosby Cummings Curtis Cushing
    Dalton Dana Davenport Davidson Dawson Dayton Dexter Dickinson Dillon Dixon Donaldson Douglas
    Drake Draper Drummond Dudley Duncan Dunham Dwight Eastman Eaton Eldridge Elliott Ellis Emerson
    Endicott Everett Fairbanks Farnham Farrell Faulkner Fenton Ferguson Fessenden Fisher Fitch
    Fleming Fletcher Forbes Forrest Foster Fowler Frazier Frost Fuller Gardner Garfield Garrison
    Gibson Gilmore Goddard Goodrich Goodwin Gordon Graham Granger Graves Greeley Greene Gregory
    Griffin Griswold Hale Hamilton Hamlin Hammond Hancock Harding Harper Harrington Hartley Harvey
    Haskell Hastings Hathaway Hawkins Hayden Haywood Hazard Henderson Herrick Hewitt Hitchcock
    Hoffman Holbrook Holden Holmes Hooker Hopkins Houghton Howland Hubbard Hudson Humphrey
    Huntington Hurlbut Hutchinson Ingersoll Irving Jackson Jarvis Jefferson Jennings Jewett
    Johnson Judson Kellogg Kendall Kennedy Kimball Kingsley Kirkland Knapp Knowlton Lambert Lamson
    Langdon Lathrop Lawson Leavitt Leland Lincoln Livingston Lockwood Lombard Loomis Lothrop
    Lowell Ludlow Lyman Mansfield Marshall Mason Mather Maxwell Maynard McAllister McClellan
    McDonald McIntyre McPherson Meade Merrick Merrill Middleton Milton Mitchell Monroe Montague
    Moody Morehouse Morgan Morrison Morton Munroe Murdock Nelson Newell Newton Nichols Norris
    Northrop Norton Noyes Ogden Olmsted Osborne Packard Paddock Paine Palmer Parker Parsons
    Patterson Patton Peabody Pearson Peck Pemberton Pendleton Perkins Phelps Phillips Pickering
    Pierce Pomeroy Porter Potter Prentice Prescott Preston Putnam Quincy Randall Randolph Ransom
    Raymond Reynolds Rhodes Richardson Ripley Robbins Roberts Robinson Rockwell Rogers Rowland
    Russell Sanborn Sanders Sanford Sargent Saunders Sawyer Schuyler Scott Sedgwick Seward Seymour
    Shaw Sheldon Shepherd Sherman Sherwood Simmons Skinner Slocum Smith Spalding Spencer Stanton
    Stebbins Sterling Stevens Stewart Stoddard Stratton Sumner Sutherland Swift Talbot Tappan Taylor
    Thatcher Thayer Thompson Thornton Thurston Tilden Townsend Tracy Trowbridge Trumbull Tucker
    Tyler Underwood Vance Vaughan Wadsworth Wainwright Walcott Walker Wallace Ward Warner Warren
    Waterman Watkins Watson Webster Weld Wendell Wentworth Wheeler Whitcomb Whitfield Whitman
    Whitney Whittier Wilcox Wilder Wilkinson Willard Williams Wilson Winchester Winslow Winthrop
    Wolcott Woodbury Woodruff Woodward Worthington Wright Wyman Yates Young
""")
#: Towns and countries; a comma parts names of several words from their neighbours.
PLACES = _listed(
    """
    Albany, Alexandria, Amsterdam, Ann Arbor, Annapolis, Antwerp, Arkansas, Athens, Atlanta,
    Augusta, Austria, Baltimore, Bangor, Barcelona, Baton Rouge, Belfast, Belgium, Berlin,
    Birmingham, Bohemia, Bordeaux, Boston, Brazil, Bremen, Bridgeport, Bristol, Brooklyn,
    Brussels, Buffalo, Burlington, Cairo, Calcutta, California, Cambridge, Canada, Canton,
    Charleston, Charlottesville, Chattanooga, Chicago, Chile, China, Cincinnati, Cleveland,
    Cologne, Colorado, Columbia, Columbus, Concord, Connecticut, Constantinople, Copenhagen, Cork,
    Cuba, Dakota, Dallas, Davenport, Dayton, Delaware, Denmark, Denver, Detroit, Dover, Dresden,
    Dublin, Dubuque, Duluth, Edinburgh, Egypt, Elmira, England, Erie, Evansville, Florence,
    Florida, Fort Wayne, France, Frankfort, Fredericksburg, Galveston, Geneva, Genoa, Georgia,
    Germany, Gettysburg, Glasgow, Greece, Halifax, Hamburg, Harrisburg, Hartford, Havana, Hawaii,
    Heidelberg, Holland, Honolulu, Houston, Hungary, Idaho, Illinois, India, Indiana,
    Indianapolis, Iowa, Ireland, Italy, Ithaca, Jamaica, Japan, Jersey City, Kansas, Kansas City,
    Kentucky, Knoxville, Lancaster, Lansing, Leeds, Leipzig, Lexington, Lima, Lisbon, Little Rock,
    Liverpool, London, Long Island, Los Angeles, Louisiana, Louisville, Lyons, Madison, Madrid,
    Maine, Manchester, Manila, Marseilles, Maryland, Massachusetts, Memphis, Mexico, Michigan,
    Milan, Milwaukee, Minneapolis, Minnesota, Mississippi, Missouri, Mobile, Montana, Montgomery,
    Montreal, Munich, Naples, Nashville, Natchez, Nebraska, Netherlands, Nevada, New Bedford,
    New Hampshire, New Haven, New Jersey, New Mexico, New Orleans, New York, Newark, Newport,
    Norfolk, North Carolina, Norway, Nova Scotia, Oakland, Ohio, Omaha, Oregon, Oxford, Panama,
    Paris, Pennsylvania, Peoria, Persia, Peru, Petersburg, Philadelphia, Pittsburgh, Poland,
    Portland, Portugal, Poughkeepsie, Prague, Providence, Prussia, Quebec, Quincy, Raleigh,
    Reading, Rhode Island, Richmond, Rochester, Rome, Rotterdam, Russia, Sacramento, Salem,
    Salt Lake City, San Antonio, San Francisco, Santa Fe, Saratoga, Savannah, Saxony, Schenectady,
    Scotland, Seattle, Sheffield, Sicily, Singapore, South Carolina, Spain, Springfield,
    St. Louis, St. Paul, Stockholm, Sweden, Switzerland, Syracuse, Tennessee, Texas, Toledo,
    Toronto, Trenton, Trieste, Troy, Turin, Turkey, Utah, Utica, Venice, Vermont, Vicksburg,
    Vienna, Virginia, Wales, Warsaw, Washington, West Virginia, Wheeling, Wilmington, Wisconsin,
    Worcester, Wyoming, Zurich
""",
    ",",
)
#: Bodies that letters and papers speak of.
BODIES = (
    "American Bible Society",
    "Board of Education",
    "Board of Health",
    "Boston Athenaeum",
    "Bureau of Pensions",
    "Chamber of Commerce",
    "Christian Commission",
    "Coast Survey",
    "Department of Agriculture",
    "Department of State",
    "Department of the Interior",
    "Freedmen's Bureau",
    "Harvard College",
    "Historical Society",
    "House of Representatives",
    "Illinois Central Railroad",
    "Lighthouse Board",
    "Metropolitan Museum",
    "Navy Department",
    "Patent Office",
    "Pennsylvania Railroad",
    "Post Office Department",
    "Princeton College",
    "Sanitary Commission",
    "Smithsonian Institution",
    "State Agricultural Society",
    "Supreme Court",
    "Treasury Department",
    "Union Pacific Railroad",
    "War Department",
    "Western Union Telegraph Company",
    "Yale College",
)
TITLES = (
    "Mr.",
    "Mrs.",
    "Miss",
    "Dr.",
    "Judge",
    "Captain",
    "Colonel",
    "General",
    "Rev.",
    "Professor",
)
MONTHS = _listed("""
    January February March April May June July August September October November December
""")
#: Places that are no towns: nobody dates a letter from them.
LANDS = frozenset(
    _listed(
        """
    Arkansas, Austria, Belgium, Bohemia, Brazil, California, Canada, Chile, China, Colorado,
    Connecticut, Cuba, Dakota, Delaware, Denmark, Egypt, England, Florida, France, Georgia,
    Germany, Greece, Hawaii, Holland, Hungary, Idaho, Illinois, India, Indiana, Iowa, Ireland,
    Italy, Jamaica, Japan, Kansas, Kentucky, Long Island, Louisiana, Maine, Maryland,
    Massachusetts, Mexico, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska,
    Netherlands, Nevada, New Hampshire, New Jersey, New Mexico, North Carolina, Norway,
    Nova Scotia, Ohio, Oregon, Pennsylvania, Persia, Peru, Poland, Portugal, Prussia,
    Rhode Island, Russia, Saxony, Scotland, Sicily, South Carolina, Spain, Sweden, Switzerland,
    Tennessee, Texas, Turkey, Utah, Vermont, Virginia, Wales, West Virginia, Wisconsin, Wyoming
""",
        ",",
    )
)
TOWNS = tuple(name for name in PLACES if name not in LANDS)
