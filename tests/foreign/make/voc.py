"""One picture's boxes as pascal-voc-writer and labelImg write them."""

from pathlib import Path

from libs.pascal_voc_io import PascalVocWriter  # labelImg's
from pascal_voc_writer import Writer

HERE = Path(__file__).parent.parent
BOXES = {"person": (100, 80, 180, 240), "bicycle": (300, 150, 460, 330)}


def main() -> None:
    """Write both."""
    folder = HERE / "voc"
    folder.mkdir(exist_ok=True)
    writer = Writer("/streets/street1.jpg", 640, 480)
    for name, box in BOXES.items():
        writer.addObject(name, *box)
    writer.save(str(folder / "street1.xml"))
    drawn = PascalVocWriter("streets", "street1", (480, 640, 3), local_img_path="street1.jpg")
    for name, (left, top, right, bottom) in BOXES.items():
        drawn.add_bnd_box(left, top, right, bottom, name, False)
    drawn.save(str(folder / "labelimg-street1.xml"))


if __name__ == "__main__":
    main()
