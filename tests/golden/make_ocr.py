"""Make experiments/data/ocr of the package: texts from the PAGE and ALTO files of dinglehopper.

    python tests/golden/make_ocr.py FOLDER_OF_DINGLEHOPPER_TEST_DATA

The lines of each page in reading order; ligatures and letters of the transcripts that Unicode has
no sign for (the private use area, as the Medieval Unicode Font Initiative uses it) are spelt out.
"""

from __future__ import annotations

import gzip
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

PAGES = {
    "truth/actevedef.txt": "actevedef_718448162/OCR-D-GT-PAGE/00000024.page.xml.gz",
    "calamari/actevedef.txt": (
        "actevedef_718448162/OCR-D-OCR-CALAMARI/OCR-D-OCR-CALAMARI_0001.xml.gz"
    ),
    "tesseract/actevedef.txt": "actevedef_718448162/OCR-D-OCR-TESS/OCR-D-OCR-TESS_0001.xml.gz",
    "truth/brochrnx.txt": "brochrnx_73075507X/00000139.gt.page.xml.gz",
    "tesseract/brochrnx.txt": "brochrnx_73075507X/00000139.ocrd-tess.ocr.page.xml.gz",
    "truth/lorem.txt": "lorem-ipsum/lorem-ipsum-scan.gt.page.xml.gz",
    "tesseract/lorem.txt": "lorem-ipsum/lorem-ipsum-scan.ocr.tesseract.alto.xml.gz",
    "truth/lorem-bad.txt": "lorem-ipsum/lorem-ipsum-scan-bad.gt.page.xml.gz",
    "tesseract/lorem-bad.txt": "lorem-ipsum/lorem-ipsum-scan-bad.ocr.tesseract.alto.xml.gz",
}
SPELT = {
    "\uf502": "ch", "\ueada": "ſt", "\ue72b": "u\u0364", "\uf4f9": "ll", "\ueba2": "ſi",
    "\ue42c": "a\u0364", "\ue644": "o\u0364", "\ueba6": "ſſ", "\ueec4": "ck", "\ueec5": "ct",
    "\ueedc": "tz", "\ueba7": "ſſi", "ﬀ": "ff", "ﬃ": "ffi", "ﬁ": "fi",
}  # fmt: skip


def named(element: ET.Element, *names: str) -> list[ET.Element]:
    """Give the children of some names."""
    return [one for one in element if one.tag.rpartition("}")[2] in names]


def said(element: ET.Element) -> str:
    """Give the text of a line or a region of PAGE, of its words where it has none itself."""
    for one in named(element, "TextEquiv"):
        return "".join(part.text or "" for part in named(one, "Unicode")).strip()
    return " ".join(said(word) for word in named(element, "Word"))


def page_text(root: ET.Element) -> str:
    regions = {one.get("id"): one for one in root.iter() if one.tag.endswith("}TextRegion")}
    order = [
        one.get("regionRef")
        for one in root.iter()
        if one.tag.rpartition("}")[2] in ("RegionRef", "RegionRefIndexed")
    ]
    lines = []
    for name in dict.fromkeys([*(one for one in order if one in regions), *regions]):
        here = [said(line) for line in named(regions[name], "TextLine")]
        lines += here if any(here) else [said(regions[name])]
    return "\n".join(line for line in lines if line)


def alto_text(root: ET.Element) -> str:
    lines = (one for one in root.iter() if one.tag.endswith("}TextLine"))
    return "\n".join(
        " ".join(str(word.get("CONTENT")) for word in named(line, "String")) for line in lines
    )


def main(folder: Path) -> None:
    target = Path(__file__).parents[2] / "src" / "consilience" / "experiments" / "data" / "ocr"
    for name, page in PAGES.items():
        root = ET.fromstring(gzip.decompress((folder / page).read_bytes()))
        text = page_text(root) if root.tag.endswith("}PcGts") else alto_text(root)
        for sign, letters in SPELT.items():
            text = text.replace(sign, letters)
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
