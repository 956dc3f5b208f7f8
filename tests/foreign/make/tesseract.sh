#!/bin/sh
# What Tesseract writes of one small page of our own words: ALTO, hOCR, its TSV, a box file, plain
# text, and PAGE where this version of Tesseract knows it (from 5.5 on).
# Needs tesseract, and a Python with Pillow as $PYTHON.
set -e
cd "$(dirname "$0")/.."
page=$(mktemp -d)
"${PYTHON:-python3}" - "$page/page.png" <<'PYTHON'
import sys

from PIL import Image, ImageDraw, ImageFont

page = Image.new("L", (620, 130), 255)
font = ImageFont.load_default(size=34)
ImageDraw.Draw(page).text((20, 15), "Ada Lovelace wrote notes\non the engine.", fill=0, font=font)
page.save(sys.argv[1], dpi=(150, 150))
PYTHON
here=$PWD
mkdir -p tesseract
cd "$page"
tesseract page.png page alto hocr tsv txt makebox
cp page.xml "$here/tesseract/page.alto.xml"
cp page.hocr page.tsv page.box page.txt "$here/tesseract/"
if tesseract page.png paged page 2> /dev/null && [ -f paged.page.xml ]; then cp paged.page.xml "$here/tesseract/"; fi
rm -r "$page"
