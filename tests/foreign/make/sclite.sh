#!/bin/sh
# sclite's two reports of an alignment (Debian: apt-get install sctk).
set -e
cd "$(dirname "$0")/.."
mkdir -p sclite
work=$(mktemp -d)
cat > "$work/reference.trn" <<'TRN'
good morning to everybody (ann_01)
we begin now (ann_02)
are there any questions (ben_01)
TRN
cat > "$work/system.trn" <<'TRN'
good morning everybody (ann_01)
we began now (ann_02)
are there any more questions (ben_01)
TRN
cp "$work/reference.trn" sclite/reference.trn
cd "$work"
sctk sclite -r reference.trn trn -h system.trn trn -i rm -o pralign sgml sum
cd - > /dev/null
cp "$work/system.trn.pra" "$work/system.trn.sgml" "$work/system.trn.sys" sclite/
rm -r "$work"
