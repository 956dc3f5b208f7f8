"""What looks like a list of lines is one; other texts are not, whatever their lines hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from consilience.errors import InputError
from consilience.formats import files, recognise
from consilience.render.written import may_hold_labels
from tests.cli.command import consilience

Write = Callable[..., Path]

GENUINE = {
    "phrases with commas": "neural networks, deep\ninformation retrieval\nkernels, sparse, fast\n",
    "German words": "Donaudampfschifffahrt\nStraße\nÜberraschung, große\n",
    "addresses": "https://a.org/x?y=1&z=2\nhttp://b.org:8080/\nhttps://c.org/#part\n",
    "DOIs": "10.1145/3397271.3401075\n10.1000/182\n10.1002/asi.5090140306\n",
    "URNs": "urn:nbn:de:101:1-2015\nurn:nbn:de:101:1-2016\nurn:nbn:de:101:1-2017\n",
    "ids": "GO:0008150\nGO:0003674\nHP:0000001\n",
    "numbers as ids": "12345\n67890\n13579\n",
    "names": "Lovelace, Ada\nBabbage, Charles\nSomerville, Mary\n",
    "digits": "formula 1\nwindows 95\napollo 11\nboeing 747\n",
    "years": "Apollo, 1969\nGemini, 1965\nSoyuz, 1967\n",
    "chemicals": "1,2-dichloroethane\n2,4-D\n1,1,1-trichloroethane\n",
    "hashtags": "#love\n#pizza\n#MeToo\n",
    "formulas": "\\\\frac{1}{2}\n\\\\sqrt{2}\nx = 2\n",
    "titles": "Alien: Covenant\nHeat\nKill Bill: Volume 1\n",
    "two spaces": "I like it.  It is good.\nWhy not?  Because.\n",
    "padded": " new york\n  paris\n",
    "long sentences": f"{'word ' * 70}end.\n{'other ' * 50}end.\n",
    "speech": "and so we went to the station because the train was late\nyes\n" * 2
    + "well i do not know what you mean by that at all my friend\nno\nokay then\nbye\n",
    "a copy of a phrase": "neural networks\nkernels\nneural networks\n",
    "few copies": "".join(f"phrase {n % 23}\n" for n in range(25)),
    "few copies of words": "".join(f"{'ab' * (n % 19 + 1)}\n" for n in range(20)),
    "Chinese": "神经网络\n深度学习\n神经网络\n图像识别\n",
    "sentences of labels": "label\nclass struggle\nfirst class\n",
    "clubs": "1. FC Köln\n1. FC Nürnberg\n2. Bundesliga\n",
    "times and places": "U.S. Army\n- of the sea\nx-ray\nE. coli\n5 Seconds of Summer\n",
    "entities of HTML": "AT&amp;T\nMarks &amp; Spencer\nR&amp;D\n",
    "a title with a semicolon": "Reason; or, Folly\nThe Sea\nRiver\n",
    "sentences with semicolons": "He came; he saw; he won.\nThey left; it rained.\n",
    "games": "call of duty 4\ngears of war 3\n",
    "cups": "world cup 2014\nworld cup 2018\neuro cup 2020\n",
    "world cups": "".join(f"fifa world cup {n}\n" for n in range(1994, 2014, 4)),
    "telephones": "+49 30 123456\n+49 30 998877\n+1 212 5551234\n",
    "ids twice": "12345\n67890\n12345\n",
    "towns": "Boston MA\nAustin TX\nDallas TX\n",
    "years of films": "Alien (1979)\nHeat (1995)\nTenet (2020)\n",
    "two volumes": "Kill Bill: Volume 1\nKill Bill: Volume 2\nDune: Part Two\n",
    "acronyms": "breast MRI\nDNA repair\nlow IQ\n",
    "places": "map of london\nmap of paris\nmap of rome\n",
    "aircraft": "B-52 bomber\nB-17 bomber\nB-2 bomber\n",
    "in brackets": "(semi-)automatic\n(pre-trained) models\n(fine-tuned) models\n",
    "ordinals": "1st place\n3rd place\n2nd prize\n",
    "quoted": '"new york"\n"old town"\n',
    "four words": "state of the art\nproof of the pudding\nlord of the rings\n",
    "lower-case sentences": "i went home late. it was dark\nno\nthat is good\nyes i do\n" * 2,
    "one comment-like": "bread\n# of apples\nmilk\n",
}
OTHERS = {
    "passwd": "root:x:0:0:root:/root:/bin/sh\nbin:x:2:2:bin:/bin:/bin/no\nsys:x:3:3:s:/dev:/no\n",
    "ls": "total 8\ndrwxr-xr-x  2 a a 4096 Jan  1 bin\n-rw-r--r--  1 a a   12 Jan  1 x\n",
    "checksums": "0cc175b9c0f1b6a8  bin/a\n92eb5ffee6ae2fec  bin/b\n",
    "git log": "959c0eb Nothing is lost\neccb156 A check\n0305728 Measured again\n",
    "hosts": "# local\n127.0.0.1 localhost\n",
    "shell": "if true; then\n  echo 1\n  echo 2\nfi\n",
    "JavaScript": "const a = 2;\nlet b = 3;\nfunction g() {\n}\n",
    "SQL": "CREATE TABLE t (a INT);\nINSERT INTO t VALUES (1);\n",
    "settings": "KEY=value\nLEVEL=info\n",
    "vectors": "king 0.50 0.68 -0.59\nqueen 0.37 0.42 -0.55\n",
    "edges": "1 2\n2 3\n3 4\n",
    "ratings": "ann item2 5.0 123\nben item3 4.0 124\nann item4 2.0 125\n",
    "MovieLens": "1::1193::5::978300760\n1::661::3::978302109\n1::914::3::978301968\n",
    "images and classes": "img/a.jpg cat\nimg/b.jpg dog\n",
    "two ids": "q1 d1\nq1 d2\nq2 d3\n",
    "cells without a header": "1,0.5\n2,0.7\n3,0.9\n",
    "labels without a header": "good,yes\nbad,no\nfine,yes\nodd,no\n",
    "ragged numbers": "a,b\n1\n2,3,4\n",
    "bullets": "- first\n- second\n- third\n",
    "stars before items": "* first\n* second one\n",
    "an introduction": "Here are the key phrases:\n• first\n• second one\n",
    "one after an introduction": "Key phrases:\n1. first\n",
    "numbers before items": "1. first\n2. second one\n",
    "semicolons": "a lake;a tower\nold town;new york;a bridge\nriver\n",
    "Kaldi without blanks": "BAC009S01W0121 甚至出现交易\nBAC009S01W0122 一二三\n",
    "authors": "Lovelace, A.; Babbage, C.; Boole, G.\nTuring, A.; Church, A.\nHopper, G.\n",
    "semicolons at the end": "new york;\nold town;\n",
    "choices": "A\nC\nB\nD\nA\n",
    "choices in brackets": "(A)\n(C)\n(A)\n",
    "words that recur": "cat\ndog\nbird\ncat\n",
    "a bag of words": "the\ncat\nsat\non\nthe\nmat\nand\nthe\ndog\nsat\non\nthe\ncat\nand\nran\n",
    "a name of labels": "sentiment\nvery good\nbad\nnot bad\nvery good\n",
    "a name of predictions": "pred\n0.5\n1\n2.25\n",
    "integers": "".join(f"{n * n * 7 % 61}\n" for n in range(40)),
    "short answers": "".join(f"the answer {n * n % 23}\n" for n in range(30)),
    "100 classes": "".join(f"n0{n * n * 31 % 97 + 1440000}\n" for n in range(60)),
    "labels": "positive\nnegative\n" * 10,
    "yes and no": "yes\nno\nyes\n",
    "zeros and ones": "1\n0\n1\n0\n",
    "truth values": "True\nFalse\nTrue\n",
    "stars": "5\n3\n5\n",
    "ten classes": "".join(f"kind {n * 7 % 10}\n" for n in range(40)),
    "25 classes": "".join(f"kind{n * 7 % 25}\n" for n in range(100)),
    "many rare classes": "a\na\na\na\nb\nb\nc\nc\nd\n",
    "ids and labels": "d3 pos\nd7 neg\nd12 pos\n",
    "ids and grades": "d3 1\nd7 0\nd12 1\n",
    "texts and votes": "a good film yes\na bad one no\n",
    "parts of speech": "The DT\ndog NN\nbarks VBZ\nloudly RB\n",
    "tags first": "B-PER Ann\nO met\n",
    "tags of sentences": "B-ORG O O\nO O B-PER O\n",
    "R's table": '"id" "truth" "glm"\n"1" "a" 1 1\n"2" "b" 0 1\n',
    "R's table, no row names": '"id" "truth"\n"a b" 1\n"c" 0\n',
    "R's table, no quotes": "truth glm\n1 a b\n2 b b\n",
    "words in columns": "id truth glm rf\nd1 cat dog cat\nd2 dog dog dog\nd3 cat cat cat\n",
    "FASTA": ">sp|P69905|HBA\nMVLSPADKTN\nKKVADALTNA\n",
    "FASTQ": "@id\nGATTTGG\n+\n!''*(((\n",
    "PGN": '[Event "Match"]\n[Site "Here"]\n1. e4 e5 2. Nf3 Nc6\n',
    "vCard": "BEGIN:VCARD\nFN:Ada\nEND:VCARD\n",
    "PO": 'msgid "Open"\nmsgstr "Öffnen"\n',
    "LaTeX aux": "\\\\relax \n\\\\newlabel{a}{{1}{1}}\n",
    "certificate": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    "Debian control": "Package: bash\nStatus: ok\nPriority: no\nSection: shells\n and more\n",
    "RIS": "TY  - JOUR\nAU  - Lovelace\nER  - \n",
    "syslog": "Mar  1 09:00:00 host sshd[12]: Accepted\nMar  1 09:00:01 host cron[1]: run\n",
    "web server": '1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] "GET /" 200 1\n',
    "levels": "[INFO] start\n[WARN] slow\n[INFO] done\n",
    "chat": "10:00 Ann: hello\n10:01 Ben: hi there\n",
    "Dockerfile": "FROM python:3.11\nRUN pip install x\nCOPY . /app\n",
    "Python's repr": "{'q1': {'d1': 0.5}}\n",
    "traceback": "Traceback (most recent call last):\n  File 'a.py'\nNameError: x\n",
    "a drawn table": "+-------+-----+\n| model | acc |\n+-------+-----+\n| A     | 0.5 |\n",
    "a report": "        precision  recall\n\n   cat     0.50    0.50\n   dog     0.5     0.5\n",
    "a picture": "P2\n2 2\n255\n0 1\n2 3\n",
    "HTTP": "HTTP/1.1 200 OK\nContent-Type: text/plain\n\nx\n",
    "prose": "The licences for most software and other practical works are designed to take\n"
    "away your freedom to share and change the works; by contrast, this one is meant\n"
    "to guarantee your freedom to share and change all versions of a program, and to\n"
    "make sure it remains free software for all its users. We use it for most of our\n" * 3,
}


@pytest.mark.parametrize("text", GENUINE.values(), ids=GENUINE)
def test_lists_are_lists(write: Write, text: str) -> None:
    assert recognise.recognise(files.look(write(text, "x.txt"))).form == "list"


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_texts_are_no_lists_unless_asked_for(write: Write, text: str) -> None:
    file = files.look(write(text, "x.txt"))
    with pytest.raises(InputError, match="fix: "):
        recognise.recognise(file)
    assert recognise.recognise(file, answers="lines").form == "list"


@pytest.mark.parametrize("text", ["a,b\n1\n2,3,4\n", "name,note\nAnn,fine\nBen,late, but fine\n"])
@pytest.mark.parametrize("delimiter", [",", ";", "|"])
def test_a_ragged_table_is_an_error(tmp_path: Path, text: str, delimiter: str) -> None:
    (tmp_path / "x.csv").write_text(text.replace(",", delimiter))
    ran = consilience("rank", "x.csv", cwd=tmp_path)
    assert ran.code == 2
    assert "rows have different numbers of cells" in ran.err


def test_labels_get_no_score(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n0\n1\n0")
    (tmp_path / "b.txt").write_text("0\n1\n0\n1")
    ran = consilience("rank", "b.txt", "--truth", "a.txt", "--no-save", cwd=tmp_path)
    assert ran.code == 2
    assert "labels or answers, one for each row?" in ran.err
    assert "write a table with columns query, system, item" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A\nC\nB\nD\nA\n", "of the first 5 lines there are only 4 different"),
        ("pred\ncat\ndog\ncat\n", "of the first 3 lines below 'pred' there are only 2"),
        ("Phrases:\n- a lake\n- a tower\n", "lines begin with '-', a mark that is no part"),
        ("1. a lake\n2. a tower\n", "lines are numbered (1. 2. …)"),
        ("a;b\nc;d;e\nf\n", "2 of the first 3 lines hold several items each, parted by ';'"),
        ("new york;\nold town;\n", "2 of the first 2 lines end in ';'"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(write: Write, text: str, said: str) -> None:
    path = write(text, "x.txt")
    with pytest.raises(InputError) as caught:
        recognise.recognise(files.look(path))
    assert said in str(caught.value)
    assert "--answers lines" in str(caught.value)
    assert may_hold_labels(path)  # no result may be written over it


WRAPPED = """Gegen 2. Uhr Nachts wurden hier alle Ge-
bäude von zwey heftigen Stößen bewegt. Man
hörte ein dumpfes Getöse, das einige Minu-
ten lang anhielt; darauf folgte ein Regen.
Den folgenden Tag war alles wieder ruhig,
und die Einwohner kehrten in ihre Häuser
zurück. Von den Schiffen im Hafen weiß man
noch nichts Gewisses; es sollen zwey fehlen.
"""


@pytest.mark.parametrize("heading", ["", f"{'Zeitung ' * 15}\n"])
def test_running_text_is_sent_to_align(write: Write, heading: str) -> None:
    with pytest.raises(InputError) as caught:
        recognise.recognise(files.look(write(heading + WRAPPED, "x.txt")))
    fix = str(caught.value).partition("(fix: ")[2]
    assert "running text, wrapped at some 4" in str(caught.value)
    assert fix.startswith("compare texts with consilience align, or with consilience rank --match")


def test_the_odd_row_of_a_ragged_table_is_named(write: Write) -> None:
    with pytest.raises(InputError, match=r"x\.csv:4: .*: the first has 2, this one 3 \(fix"):
        recognise.recognise(files.look(write("a,b\n1,2\n\n2,3,4\n", "x.csv")))
    with pytest.raises(InputError, match="2 in the first and 1 in '1'"):
        recognise.recognise(files.look(write("a,b\n1\n2,3\n", "x.txt")))


def test_phrases_in_a_file_called_csv_are_a_list(write: Write) -> None:
    path = write('lake view\n"new york, usa"\nold town\n', "x.csv")
    assert recognise.recognise(files.look(path)).form == "list"
