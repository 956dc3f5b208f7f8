#!/bin/sh
# TextGrids, long and short, as Praat itself writes them (Debian: apt-get install praat).
set -e
cd "$(dirname "$0")/.."
mkdir -p textgrid
script=$(mktemp)
cat > "$script" <<'PRAAT'
form Where
    sentence folder .
endform
Create TextGrid: 0, 3.5, "words speakers bells", "bells"
Insert boundary: 1, 0.5
Insert boundary: 1, 1.25
Insert boundary: 1, 2.0
Set interval text: 1, 2, "good"
Set interval text: 1, 3, "morning"
Insert boundary: 2, 0.5
Insert boundary: 2, 3.0
Set interval text: 2, 2, "Ann"
Insert point: 3, 1.75, "bell"
Save as text file: folder$ + "/talk-long.TextGrid"
Save as short text file: folder$ + "/talk-short.TextGrid"
PRAAT
praat --run "$script" "$PWD/textgrid"
rm "$script"
