"""Sentences of letters and official papers, with room for names: the stock of the page texts.

``[a|b]`` stands for one of several wordings (they may be nested), ``{person}`` and so on for names
(:mod:`consilience.experiments.ocr.letters` says which there are). Written for this project in the
manner of the time; every page takes its own choice of sentences, wordings and names.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Genre:
    """A kind of page: lines at its head, sentences that open it, its body, lines at its foot."""

    head: tuple[str, ...]
    opening: tuple[str, ...]
    body: tuple[str, ...]
    closing: tuple[str, ...]
    foot: tuple[str, ...]


LETTER = Genre(
    head=("{town}, {date}", "[My dear|Dear] [{woman}|{man}|Brother|Sister|Cousin {man}|Friend],"),
    opening=(
        "Your [kind|welcome|good] letter [reached me|came to hand|was brought to me] [on Tuesday|"
        "last evening|by the morning mail], and I [hasten to answer it|sit down at once to reply].",
        "I [take my pen|have a quiet hour] this [evening|morning] to tell you how we [fare|get on] "
        "since {title} and the children [left us|went away] for {place}.",
        "It is [now three weeks|above a month|some time] since I had a line from you, and {person} "
        "[asks|inquires] after you [every day|at every meeting].",
        "We [arrived|came safely] at {place} on {day}, after a [tedious|rough|pleasant] journey in "
        "the company of {person}.",
    ),
    body=(
        "{person} [came to see|called upon|dined with] us [on Sunday|yesterday|last week] with "
        "[news|a parcel of letters] from {place}.",
        "The [roads|cars] between {place} and {place} are [so bad|so crowded] that {title} [was "
        "obliged|had] to [wait|lie over] two days.",
        "You will [be sorry|grieve] to hear that {person} has been [very low|ill of a fever], "
        "though "
        "the doctor [has good hopes|speaks well] of [his recovery|the case].",
        "[Pray|Please] tell {woman} that the [seeds|books|patterns] she wanted can be had of "
        "{person} in {place}, and at [half|less than half] the price.",
        "The [wheat|corn|hay] is [all in|nearly cut], and [father|uncle] means to [sell the mare|"
        "build a new barn] before the [frost|winter].",
        "{man} has [enlisted|taken a place] and is [ordered|sent] to {place} with the company of "
        "Captain {surname}.",
        "I [heard|read in the paper] that {person} [was married|is to be married] to {person} at "
        "{place} [in the spring|on {day}].",
        "We had a [fine|solemn] sermon from the Reverend {person}, who [preached|spoke] upon the "
        "[prodigal son|loaves and fishes].",
        "The little ones [send their love|are well], and {woman} has [cut a tooth|learned her "
        "letters].",
        "There was [a great fire|much snow|a flood] at {place} [last week|the night of {day}], and "
        "the store of {person} was [lost|saved only by good fortune].",
        "[If you go|Should you go] to {place} you must [not fail to see|give my regards to] "
        "{person}, who was [so good to|kind to] us [in the hard winter|when we were strangers].",
        "I have [not yet paid|settled with] {title} for the [stove|cow|cloth], but he is [content|"
        "willing] to wait until [harvest|the new year].",
        "{person} [writes|tells me] from {place} that [wages are high|land is cheap] and that "
        "anybody who can [handle a plough|keep accounts] may do well.",
        "[Last night|On Monday] we sat up late and [talked|sang] with {person} and {person}, and "
        "[spoke often|thought much] of you.",
        "My [cough|eyes] [is|are] [better|no worse], and I [walk|ride] as far as the [mill|bridge] "
        "when the weather [is fair|allows].",
        "[Have you|Did you] hear that old {title} [is dead|died on {day}], and that the farm [goes|"
        "falls] to {person} of {place}?",
        "{woman} [intends|hopes] to [teach|keep school] at {place} this winter, if {person} will "
        "[give her a character|speak for her].",
        "The box that you sent by way of {place} [came|arrived] [quite whole|with only one jar "
        "broken], and we [thank you heartily|all thank you].",
        "[Your friend|Our neighbour] {person} [sailed|took ship] for {place} on {day}, and has "
        "promised to [write|send word] from {place}.",
        "I do not [trouble myself|care] about politics, but {title} [says|declares] that {town} "
        "will [go|vote] for {person} [this time|in the fall].",
        "Every thing here is [dear|scarce]: [butter|flour|coffee] has [doubled|risen] since you "
        "were in {place}.",
        "The [photograph|likeness] of {person} [hangs|stands] over the mantel, and [everybody|each "
        "visitor] remarks how [like|well done] it is.",
        "I [wish|only wish] that you and {person} could be with us at Thanksgiving, when {person} "
        "and all the cousins from {place} will be here.",
        "[Keep|Take care of] the papers that {title} left with you, for {person} will [call|come] "
        "for them on the way to {place}.",
    ),
    closing=(
        "[Write soon|Do write], and [direct|address] your letter to the care of {person}, {town}.",
        "[Give my love to|Remember me to] {person} and to all who [ask|inquire] after us in "
        "{place}.",
        "The [mail|stage] is about to close, so I must [stop|bid you good night].",
    ),
    foot=("[Your affectionate|Ever your loving|Yours truly]", "{person}"),
)

REPORT = Genre(
    head=("{body}", "{town}, {date}", "[Sir|Dear Sir|Gentlemen]:"),
    opening=(
        "I have the honor to [report|submit the following report] [upon|of] the [works|state of "
        "affairs] at {place}, which I [inspected|visited] on {day} by order of {person}.",
        "In [obedience to|accordance with] your instructions of {day} I [proceeded|went] to "
        "{place} "
        "and [conferred|met] with {person}, the agent of the {body}.",
        "The following statement is [respectfully|most respectfully] submitted in answer to the "
        "inquiry of {person}, [member|delegate] for {place}.",
    ),
    body=(
        "The [bridge|wharf|warehouse] is [in good order|much decayed], and {person} [estimates|"
        "states] that [repairs|timber] to the amount of {sum} will be [needed|required].",
        "{person} of {place} was [examined|heard] [under oath|at length] and [denied|confirmed] "
        "that the [stores|horses] were [sold|removed] before {day}.",
        "The [garrison|party] under Captain {surname} [left|marched from] {place} with [sixty|"
        "ninety|two hundred] men and [reached|encamped near] {place} on {day}.",
        "Of the [sum|amount] that was [appropriated|granted] for {place}, the balance of {sum} "
        "[remains|is deposited] with {person}.",
        "The [superintendent|collector], {person}, has [discharged|performed] his duties [with "
        "credit|to the satisfaction of the {body}].",
        "[Complaints|Petitions] have [reached|been laid before] the {body} from {person} and "
        "{number} other [settlers|citizens] of {place}.",
        "[No blame|Much credit] [attaches|is due] to {title}, who [acted|stood] by the advice of "
        "{person}.",
        "The [mails|trains] between {place} and {place} were [delayed|stopped] for [three|five] "
        "days by [high water|want of coal].",
        "The [survey|map] made by {person} [shows|proves] that the [channel|boundary] lies "
        "[farther|somewhat] to the [north|west] than was [supposed|believed] at {place}.",
        "[I beg leave|Permission is asked] to [recommend|name] {person} for the [vacancy|post] at "
        "{place}, as [a man of sober habits|an officer of long service].",
        "The [hospital|school] at {place} [received|admitted] {number} persons during the [quarter|"
        "year], of whom {person}, the [steward|matron], gives a [full|separate] account.",
        "A [copy|duplicate] of the contract with {person} has been [sent|forwarded] to the {body} "
        "for [approval|record].",
        "The [millers|farmers] near {place} are [quiet|well disposed], and {title} [holds|reports] "
        "that [presents|seed] should be [given|distributed] in the spring.",
        "[Two|Four] [vessels|boats] belonging to {person} of {place} were [seized|detained] with "
        "[cotton|sugar|spirits] on board.",
        "The [witness|clerk], {person}, [could not be found|has since gone to {place}].",
        "[Specimens|Samples] of the [ore|soil] were [sent|handed] to Professor {surname} of the "
        "{body}, who [has not yet replied|finds them of little worth].",
        "[With regard to|Touching] the claim of {person}, it [appears|is found] that the [deed|"
        "bond] was [drawn|signed] at {place} in the presence of {person}.",
        "The [weather|season] has been [unfavorable|dry], and the [works|buildings] at {place} "
        "cannot be [finished|roofed] before {month}.",
        "I was [attended|assisted] throughout by {person} and by Lieutenant {surname}, whose "
        "[notes|"
        "sketches] are [annexed|enclosed].",
        "[It is proper|I ought] to [add|state] that {person} [offered|gave] every [help|facility], "
        "and that the people of {place} were [most civil|friendly].",
    ),
    closing=(
        "All which is [respectfully|most respectfully] submitted for the [consideration|judgment] "
        "of the {body}.",
        "I shall [await|remain for] your orders at {place}, where letters may be [sent|addressed] "
        "to the care of {person}.",
        "A [fuller|detailed] account will [follow|be made] on my return from {place}.",
    ),
    foot=("[Your obedient servant|Very respectfully]", "{person}"),
)

MINUTES = Genre(
    head=("[Minutes|Proceedings] of the {body}", "{town}, {date}"),
    opening=(
        "The [regular|quarterly|annual] meeting was [called to order|opened] at [seven|ten] "
        "o'clock "
        "by the [president|chairman], {person}, with {number} members [present|in attendance].",
        "[Pursuant to|According to] notice the members [met|assembled] at the house of {person} in "
        "{place}, {person} in the chair.",
    ),
    body=(
        "The [minutes|records] of the last meeting were read by the secretary, {person}, and "
        "[approved|adopted as corrected].",
        "{person} [moved|proposed], and {person} seconded, that the sum of {sum} be [paid|voted] "
        "to "
        "{person} for [printing|fuel|repairs].",
        "The treasurer, {person}, [reported|showed] a balance of {sum}, of which the [half|greater "
        "part] is [lent|on deposit] in {place}.",
        "A letter [from|signed by] {person} of {place} was [read|laid before the meeting] and "
        "[ordered to be filed|referred to {person}].",
        "{title} [objected|took exception] to the [charge|item], and [after some debate|on a "
        "division] it was [struck out|allowed].",
        "[Resolved|It was resolved], that the thanks of this body be [given|conveyed] to {person} "
        "for the [gift|loan] of [books|a portrait|instruments].",
        "The committee on [streets|schools|membership], consisting of {person}, {person} and "
        "{person}, [asked for more time|was discharged].",
        "{person}, late of {place}, was [proposed|elected] as a [member|corresponding member] by "
        "{person}.",
        "The [death|loss] of {person} was [announced|made known], and a [minute|memorial] was "
        "[ordered|drawn up] by {person}.",
        "[Delegates|Two delegates] to the convention at {place} were [chosen|named]: {person} and "
        "{person}.",
        "The [question|matter] of the [new hall|lot] was [taken up|postponed], {person} and "
        "{title} "
        "[dissenting|not voting].",
        "{person} [gave|read] an account of [his travels|a visit] in {place}, which was heard with "
        "[attention|pleasure].",
        "The [bill|account] of {person}, [carpenter|stationer], for {sum} was [allowed|laid over].",
        "[An invitation|A proposal] from the {body} was [accepted|declined] on the motion of "
        "{person}.",
        "{person} [reported|stated] that the [lamps|benches] from {place} had [come|been received] "
        "in [good|bad] order.",
        "The [clerk|secretary] was [instructed|directed] to [write|apply] to {person} at {place} "
        "for [the deed|copies].",
        "[No report|Nothing] was heard from the branch at {place}, whose [agent|clerk], {person}, "
        "was [absent|ill].",
        "The price of [tickets|admission] was [fixed|set] at [ten|fifteen] cents, {title} having "
        "[urged|asked for] a lower one.",
    ),
    closing=(
        "There being no [further|other] business, the meeting [adjourned|rose] to meet at the "
        "house "
        "of {person} on {day}.",
        "On motion of {person} the meeting [adjourned|stood adjourned] at a late hour.",
    ),
    foot=("[Attest|A true copy]", "{person}, Secretary"),
)

NOTICE = Genre(
    head=("[PUBLIC NOTICE|NOTICE|PROCLAMATION]", "{town}, {date}"),
    opening=(
        "Notice is hereby given to all [persons|citizens] of {place} that the {body} will "
        "[sit|meet] "
        "on {day} in the [court house|town hall], {person} presiding.",
        "[Whereas|It having been represented that] {person} of {place} has [left|gone from] this "
        "[county|city] with debts unpaid, all persons are [warned|cautioned] accordingly.",
    ),
    body=(
        "[Sealed proposals|Bids] for the [carriage|supply] of [coal|oats|flour] to {place} will be "
        "[received|opened] by {person} until {day}.",
        "[All persons|Those] having claims against the estate of {person}, late of {place}, are "
        "[requested|desired] to [present|show] them to {person}, executor.",
        "[Strayed or stolen|Lost] from the farm of {person}, near {place}, a [bay mare|red cow], "
        "for "
        "whose return a reward of {sum} will be [paid|given].",
        "The steamer for {place} will [leave|depart] the wharf at [six|nine] in the morning under "
        "Captain {surname}, [touching|stopping] at {place} and {place}.",
        "[Tickets|Passage] may be had of {person}, at the office of the {body}.",
        "The [house|mill] and lot now [occupied|held] by {person} will be [sold|let] at auction by "
        "order of Judge {surname}.",
        "[School|Classes] will [open|begin] on {day} under the care of {person}, [lately|formerly] "
        "of {place}.",
        "A [lecture|concert] will be given by {person} of {place}, [assisted by|with] {person}.",
        "[Taxes|Rents] for the year are [due|payable] to {person}, and after {day} "
        "[costs|interest] "
        "will be added.",
        "The [partnership|firm] of {surname} and {surname}, [merchants|printers] at {place}, is "
        "[this day|hereby] [dissolved|ended].",
        "[Letters|Parcels] remain in the post office for {person}, {person}, {person} and "
        "{person}.",
        "The [vaccination|enrolment] of [children|men] will be [conducted|made] by Dr. {surname} "
        "at "
        "the rooms of the {body}.",
        "[Any person|Whoever] found [cutting timber|shooting] upon the land of {person} will be "
        "[prosecuted|brought] before {title}.",
        "The remains of {person}, who fell at {place}, will be [brought|borne] from the depot on "
        "{day}, [the Reverend|Chaplain] {person} officiating.",
        "[Persons|Families] who wish to [remove|emigrate] to {place} may [apply|write] to "
        "{person}, "
        "agent of the {body}.",
        "The [election|choice] of [selectmen|directors] is [put off|appointed] to {day}; {person} "
        "and {person} are named as [judges|inspectors].",
        "[Fresh|New] goods from {place} and {place} are [opened|to be seen] at the store of "
        "{person}.",
        "The [ferry|bridge] at {place} is [closed|unsafe] until {title} shall [report|certify] the "
        "repairs.",
    ),
    closing=(
        "By order of the {body}.",
        "Given under my hand at {place}, {person} and {person} being witnesses.",
    ),
    foot=("{person}", "[Clerk|Marshal|Commissioner]"),
)

INVENTORY = Genre(
    head=("[Inventory|Schedule] of the [estate|effects] of {person}", "{town}, {date}"),
    opening=(
        "[A true|A just] inventory of the [goods|effects] of the late {person} of {place}, [taken|"
        "made] on {day} by {person} and {person}, appraisers.",
        "The [undersigned|appraisers], being [sworn|appointed] by Judge {surname} of {place}, have "
        "[viewed|valued] the property as follows.",
    ),
    body=(
        "In the [parlor|hall]: one [clock|looking glass] [made|bought] at {place}, valued by "
        "{person} at {sum}.",
        "A [portrait|miniature] of {person}, painted in {place}, which the widow [claims|keeps].",
        "[Two|Three] [silver spoons|candlesticks] marked with the name of {person}, [given|left] "
        "by "
        "her [aunt|mother] in {place}.",
        "A note of hand of {person} of {place} for {sum}, [overdue|payable on {day}].",
        "[Bonds|Shares] of the {body}, [standing|entered] in the name of {person}, worth {sum}.",
        "[One|A] [desk|chest of drawers] [lent|promised] to {person}, who has [returned|kept] it "
        "since {month}.",
        "[Books|Pamphlets] to the number of {number}, [among them|including] a history of {place} "
        "[with the name of|given by] {person}.",
        "In the [barn|stable]: a [grey horse|black colt] called {man}, and a [wagon|sleigh] [made "
        "by|had of] {person}.",
        "[Forty|Sixty] acres of [woodland|meadow] at {place}, [adjoining|bounded by] the land of "
        "{person} and of {person}.",
        "A [lease|mortgage] upon the [mill|store] at {place}, [held|signed] by {person}.",
        "[Wearing apparel|Bedding], [appraised|set] at {sum} and [delivered|handed] to {person}, "
        "[daughter|sister] of the deceased.",
        "A [gun|sword] that belonged to Colonel {surname}, [carried|worn] at {place}.",
        "[Accounts|Debts] [due|owing] from {person}, {person} and {title}, [thought|supposed] to "
        "be "
        "[good|doubtful].",
        "Paid to {person} for [the coffin|nursing], {sum}; to Dr. {surname} for "
        "[physic|attendance], "
        "{sum}.",
        "A [trunk|box] of letters from {person}, [written|dated] at {place}, [sealed|set aside] by "
        "the executor.",
        "[Tools|Instruments] of the [surveyor's|cooper's] trade, [bought|had] from {person} of "
        "{place}.",
        "[Six|Ten] [barrels|casks] of [cider|flour], in the keeping of {person} at {place}.",
        "A [map|chart] of {place} by {person}, [framed|much worn].",
    ),
    closing=(
        "The whole [amounting to|being] {sum}, as we [believe|judge] to be just and true.",
        "[Sworn|Subscribed] before me at {place} on {day}, {person}, justice of the peace.",
    ),
    foot=("{person}", "{person}, [Appraisers|Executors]"),
)

#: Name → genre, in the order in which pages take them.
GENRES = {
    "letter": LETTER,
    "report": REPORT,
    "minutes": MINUTES,
    "notice": NOTICE,
    "inventory": INVENTORY,
}
