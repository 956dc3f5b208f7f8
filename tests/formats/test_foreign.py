"""Forms of other programs are refused by name; what looks like a list still is one."""

from __future__ import annotations

import json
from typing import Any

import pytest

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.formats import foreign

read: Any = cs.read

CONLL = "EU B-ORG\nrejects O\n\nPeter B-PER\nBlackburn I-PER\n"
ALTO = '<?xml version="1.0"?>\n<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#">\n</alto>\n'
HOCR = "<html>\n<head><meta name='ocr-system' content='tesseract'/></head>\n</html>\n"
VOC = "<annotation>\n<object><name>cat</name></object>\n</annotation>\n"
GRID = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\n'
SAMPLES = json.dumps({"doc_id": 0, "target": "1", "filtered_resps": ["1"], "acc": 1.0})
EVAL = json.dumps({"version": 2, "status": "success", "eval": {"task": "t", "run_id": "r"}})


@pytest.mark.parametrize(
    ("content", "name", "form"),
    [
        (ALTO, "page.xml", "ALTO"),
        ('<?xml version="1.0"?>\n<pc:PcGts xmlns:pc="x">\n</pc:PcGts>', "page.xml", "PAGE XML"),
        (HOCR, "page.html", "hOCR"),
        (VOC, "a.xml", "Pascal VOC"),
        ("<!doctype html>\n<p>one\n", "a.txt", "an HTML page"),
        ("<notes>\n<note/>\n</notes>\n", "a.txt", "XML"),
        (CONLL, "a.conll", "CoNLL"),
        (CONLL.replace(" ", "\t"), "a.txt", "CoNLL"),
        ("EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n", "a.txt", "CoNLL"),
        ("B-PER Ann\nO met\n", "a.txt", "CoNLL"),
        ("B-PER O\nO O B-LOC\n", "a.txt", "CoNLL"),
        ("The DT\ndog NN\nbarks VBZ\n", "a.txt", "tagged text"),
        ("[1, 0, 1, 0]", "a.json", "a JSON array of labels"),
        ("#FORMAT=WebAnno TSV 3\n\n#Text=Ann\n", "a.tsv", "WebAnno"),
        ("map all 0.12\nP_10 all 0.3\n", "a.txt", "figures printed by trec_eval"),
        ("1.0 2 3 4 5 6 7 8 large-vehicle 0\n", "a.txt", "boxes of DOTA"),
        ("a/1.jpg\n1\n4 3 2 1 0\na/2.jpg\n0\n0 0 0 0 0\n", "a.txt", "boxes of FDDB or WIDER FACE"),
        ("a/1\n0\na/2\n1\n4 3 2 1 0\n", "a.txt", "boxes of FDDB or WIDER FACE"),
        ("([[1, 2], [3, 4]], 'a', 0.5)\n", "a.txt", "boxes and texts printed by EasyOCR"),
        ("(spk1-001) hello world\n(spk1-002) yes\n", "a.txt", "trn"),
        ("hello world (001)\nyes (002)\n", "a.txt", "trn"),
        ("ann_a hello world\nben_a good morning\n", "text", "Kaldi text"),
        ("utt_01\tHELLO WORLD\nutt_02\tYES\n", "text", "Kaldi text"),
        ("[00:00.000 --> 00:02.000]  Hello\n", "a.txt", "subtitles"),
        ("ANN: hello\nBEN: hi\nANN: yes\n", "a.txt", "a transcript with its speakers"),
        ("q1 F:a G:a d1 1\nq1 F:a G:a d2 0\nq1 F:a G:a d3 0\n", "a.txt", "preferences"),
        ("TOKEN\tNE-COARSE-LIT\nEU\tB-org\n", "a.tsv", "HIPE"),
        ("# id = 1\n1\tEU\teu\tX\t_\t_\t0\troot\t_\t_\n", "a.conllu", "CoNLL-U"),
        ("T1\tPER 0 5\tPeter\nR1\tknows Arg1:T1 Arg2:T1\n", "a.ann", "brat"),
        (GRID, "a.TextGrid", "TextGrid"),
        ("rec 1 0.15 0.23 hello 0.98\nrec 1 0.38 0.2 world 0.5\n", "a.ctm", "CTM"),
        ("rec 1 0.15 0.23 hello\nrec 1 0.38 0.2 world\nrec 1 0.6 0.1 you\n", "a.txt", "CTM"),
        ("rec 1 ann 0.0 1.5 <o> hello world\n", "a.stm", "STM"),
        ("utt_01 HELLO WORLD\nutt_02 GOOD MORNING\n", "text", "Kaldi text"),
        ("1\n00:00:01,000 --> 00:00:02,000\nHello\n", "a.srt", "SRT"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n", "a.vtt", "WebVTT"),
        ("# Notes\n\nSome text.\n", "README.md", "Markdown"),
        ("a.wav\t0.5\t1.0\tdog\nb.wav\t0.1\t0.5\tcat\n", "a.txt", "a DCASE list"),
        ("+1 1:0.5 3:1\n-1 2:0.5\n", "a.txt", "SVMlight"),
        (f"{SAMPLES}\n{SAMPLES}\n", "samples_arc.jsonl", "lm-evaluation-harness"),
        (EVAL, "log.json", "Inspect"),
        ('[{"instruction": "a", "output_1": "b", "output_2": "c"}]', "a.json", "AlpacaEval"),
        ('{"model_a": "x", "model_b": "y", "winner": "model_a"}\n', "a.jsonl", "arena"),
        ('{"default": {"test": {"q1": {"d1": 0.5}}}}', "a.json", "MTEB predictions"),
        ("import os\nimport sys\nprint(1)\n", "a.txt", "source code"),
        ("name: x\nlist:\n  - a\n  - b\n", "a.txt", "YAML"),
        ("2026-01-01 10:00:00 began\n2026-01-01 10:00:01 ended\n", "a.txt", "a log"),
    ],
)
def test_foreign_forms_are_refused_by_name(write: Any, content: str, name: str, form: str) -> None:
    with pytest.raises(InputError) as caught:
        read(write(content, name))
    said = str(caught.value)
    assert f"this is {form}" in said or form in said.split(", which is not read")[0]
    assert "which is not read (fix: " in said


@pytest.mark.parametrize(
    "content",
    [
        "O\nB-52\nX-ray\n",
        "utt_01\nutt_02\n",
        "Peter\nPaul Simon\nMary\n",
        "vitamin B-12\nvitamin C\n",
        "Dijkstra's algorithm\nA* search\nC++\nx < y\n",
        "state-of-the-art results\nF1 scores\nGPT-4 judges\n",
        "a (b)\n[c]\n#hashtag\n",
        "São Paulo\nKöln\n東京\n",
        "item = thing\nother = stuff\n",
        "key: value\n",
        "It was the best of times.\nIt was the worst of times.\n",
        "from here to there\nimport taxes\n",
    ],
)
def test_lists_stay_lists(write: Any, content: str) -> None:
    assert read(write(content, "x.txt")).sources[0].recognised == "list"


def test_a_mapped_column_makes_it_a_table(write: Any) -> None:
    rows = '{"_id": "a", "text": "x", "score": 1}\n{"_id": "b", "text": "y", "score": 2}\n'
    path = write(rows, "x.jsonl")
    assert read(path, columns={"item": "_id"}).sources[0].recognised.startswith("JSON lines")


def test_a_table_with_underscores_is_no_kaldi_text(write: Any) -> None:
    rows = "doc_id\tphrase\ndoc_1\tgood morning\ndoc_2\tgood night\n"
    assert read(write(rows, "x.tsv")).sources[0].recognised.startswith("TSV")


def test_the_keys_of_single_values_are_named(write: Any) -> None:
    path = write('{"note": "made today", "systems": {"A": {"d1": 1}}}', "x.json")
    with pytest.raises(InputError, match=r"such as settings \(under 'note'\), which is not read"):
        read(path)
    with pytest.raises(InputError, match="such as settings, which is not read"):
        read(write('{"threads": 4, "name": "x"}', "x.json"))


@pytest.mark.parametrize(
    "content", ['["the cat", "dogs", "the cat"]', "[12345, 678, 12345]", '["a", "b"]']
)
def test_json_arrays_of_items_are_lists(write: Any, content: str) -> None:
    assert read(write(content, "x.json")).sources[0].recognised == "JSON"


def test_texts_to_be_aligned_are_checked_alike(write: Any) -> None:
    gold, other = write("hello world\n", "gold.txt"), write(ALTO, "page.xml")
    with pytest.raises(InputError, match="this is ALTO"):
        cs.read_sequences([other], truth=[gold])


def test_every_form_says_what_to_do() -> None:
    assert all(form.name and form.fix for form in foreign.FORMS)
    assert len({form.name for form in foreign.FORMS}) == len(foreign.FORMS)


@pytest.mark.parametrize("indent", [None, 1])
def test_what_is_longer_than_the_first_look_is_told_alike(write: Any, indent: int | None) -> None:
    def written(data: Any) -> Any:
        text = json.dumps(data, indent=indent)
        assert len(text) > 1 << 17
        return write(text, "x.json")

    run = {f"q{q}": {f"d{d}": 1.0 / (d + q + 1) for d in range(200)} for q in range(50)}
    assert read(written(run)).queries == tuple(run)
    named = {
        "pandas": {name: {str(row): row for row in range(9000)} for name in ("gold", "tree")},
        "MTEB predictions": {"default": {"test": run}},
        "MTEB results": {"mteb_version": "2", "scores": {"test": [{"main_score": 1}] * 9000}},
        "HELM": [{"instance_id": str(n), "stats": [{"mean": 1.0}]} for n in range(9000)],
        "single values": {"threads": 4, "run": run},
    }
    for name, data in named.items():
        with pytest.raises(UsageError, match=name):
            read(written(data))
