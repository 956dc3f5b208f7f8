#!/bin/sh
# Results of promptfoo with its echo provider (npm install promptfoo; $PROMPTFOO runs it).
set -e
cd "$(dirname "$0")/.."
mkdir -p promptfoo
out=$PWD/promptfoo/results.json
work=$(mktemp -d)
cat > "$work/promptfooconfig.yaml" <<'YAML'
description: notes
prompts: ["{{question}}"]
providers: [{id: echo, label: parrot}]
tests:
  - vars: {question: "Ada wrote the notes."}
    assert: [{type: contains, value: Ada}]
  - vars: {question: "In which year?"}
    assert: [{type: contains, value: "1843"}]
YAML
cd "$work"
export PROMPTFOO_CONFIG_DIR="$work" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1
${PROMPTFOO:-npx promptfoo} eval --no-cache --no-table --no-share -o results.json || [ $? = 100 ]
cp results.json "$out"
rm -r "$work"
