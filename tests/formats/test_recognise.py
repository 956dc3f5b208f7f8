"""Files are told by content, with the reason."""

from __future__ import annotations

from typing import Any

import pytest

import consilience as cs
from consilience.errors import UsageError

read: Any = cs.read

RUN = "q1 Q0 d1 1 3.5 bm25\nq1 Q0 d2 2 2.5 bm25\n"
QRELS = "q1 0 d1 1\nq1 0 d2 -1\n"


@pytest.mark.parametrize(
    ("content", "name", "form"),
    [
        (RUN, "any.csv", "TREC run"),
        (RUN.replace(" ", "\t"), "run.tsv", "TREC run"),
        ("q\tQ0\tdoc\t1\t2.5\ttag\nq\tQ0\titem\t2\t1.5\ttag\n", "x", "TREC run"),
        ("q1 Q0 d1 - 3.5 bm25\n", "x", "TREC run"),
        ("q1 Q0 d1 1 3.5\nq1 Q0 d2 2 2.5\n", "x", "TREC run"),
        ("q1 Q0 d1 3.5 bm25\nq1 Q0 d2 2.5 bm25\n", "x", "TREC run"),
        (QRELS, "x", "TREC qrels"),
        (QRELS.replace(" ", "\t"), "qrels.tsv", "TREC qrels"),
        ("q1 0 d1 3.5 bm25\nq1 0 d2 2.5 bm25\n", "x", "TREC run"),
        ("q1 0 d1 57 bm25\nq1 0 d2 43 bm25\n", "x", "TREC run"),
        ("q1 Q0 d1 2 bm25\nq1 Q0 d2 1 bm25\n", "x", "TREC run"),
        ("q1 0 d1 1 3.5\nq1 0 d2 2 2.5\nq2 0 d1 1 0.5\n", "x", "TREC run"),
        ("".join(f"q1 0 d{n} {n} {9 - n}\n" for n in range(6)), "x", "TREC run"),
        ("q1 Q0 d1 1\n", "x", "TREC qrels"),
        ("q1 7 d1 1\nq1 8 d2 0\n", "x", "TREC qrels"),
        ("q1 iter d 1\nq1 iter e 0\nq2 iter d 2\n", "x", "TREC qrels"),
        ("q1 set5 d 1\nq1 set5 e 0\nq2 set5 d 2\n", "x", "TREC qrels"),
        ("q1 X,y 0 1\nq1 0 d,e 1\nq2 0 f 0\n", "x", "TREC qrels"),
        ("call of duty 4\ngears of war 3\n", "x", "list"),
        ("a i x 1\nb i y 0\nc i z 2\n", "x", "TREC qrels"),
        ("one\ntwo words\nthree, with a comma\n", "x", "list"),
        ("new york, usa\nparis, france\nrome, italy\n", "x.txt", "list"),
        ("a; b\nc; d\n", "x", "list"),
        ("a | b\nc | d\n", "x", "list"),
        ("top ten of 10\nlast one in 20\n", "x", "list"),
        ("the best of 2019 movies\nthe worst of 2020 songs\n", "x", "list"),
        ("1\n2\n3\n", "x", "list"),
        ("[a] b\n[c] d\n", "x", "list"),
        ("{a} b\n{c} d\n", "x", "list"),
        ("boston, 1776\nparis, 1789\n", "x", "list"),
        ("world war 1\nworld war 2\n", "x", "list"),
        ("apollo 13 1995\ntoy story 1995\n", "x", "list"),
        ("new york, usa, 1\nsan francisco, usa, 2\n", "x", "list"),
        ("route 66 motel\nboeing 747 jet\narea 51 map\n", "x", "list"),
        ("q1 d1 1\nplain words\nand more words\n", "x", "list"),
        ("item\nq1 d1 1\nq1 d2 0\n", "x", "CSV, long table"),
        ('item\n"q1,d1,1"\n"q1,d2,0"\n', "x", "CSV, long table"),
        ("query,item,relevant\nq1,d1,1\nq1,d2,0\n", "x", "CSV, long table"),
        ("item\nhello\nworld\n", "x", "CSV, long table"),
        ("item,S1\na,1\n", "x", "CSV, wide table"),
        ("item\tS1\na\t1\n", "x", "TSV, wide table"),
        ("item;S1\na;1\n", "x", "CSV with semicolons, wide table"),
        ("item|S1\na|1\n", "x", "CSV with bars, wide table"),
        ('"item","S1"\n"a","1"\n', "x", "CSV, wide table"),
        ("item , S1\na , 1\n", "x", "CSV, wide table"),
        ("qid,docno,rank\n1,d,1\n", "x", "CSV, long table"),
        ("query,item,system,score\nq,d,A,1\n", "x", "CSV, long table"),
        ('{"item": "a", "score": 1}\n', "x", "JSON lines, long table"),
        ('[{"item": "a", "score": 1}]', "x", "JSON, long table"),
        ('[\n {"item": "a", "score": 1}\n]\n', "x", "JSON, long table"),
        ('{"q1": {"d1": 1.5}}', "x.json", "JSON"),
        ('{\n "q1": ["d1", "d2"]\n}', "x.json", "JSON"),
        ('["d1", "d2"]', "x.json", "JSON"),
    ],
)
def test_what_a_file_is(write, content, name, form) -> None:
    study = read(write(content, name))
    assert study.sources[0].recognised == form
    assert study.sources[0].why


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("q1 Q0 d1 1 3.5 t\n", "read as 'query Q0 item rank score tag'"),
        ("q1 Q0 d1 1 3.5\n", "read as 'query Q0 item rank score' (no tag: "),
        ("q1 Q0 d1 3.5 t\n", "read as 'query Q0 item score tag' (no rank: "),
        ("q1 0 d1 1\n", "read as 'query iteration item grade'"),
    ],
)
def test_the_reason_names_the_fields_that_are_there(write, line, why) -> None:
    assert why in read(write(line)).sources[0].why


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        ("foo,bar,baz\na,A,1\n", "x.txt", "no column holds the items; found 'foo', 'bar', 'baz'"),
        ("foo,bar\na,b\n", "x.csv", "no column holds the items"),
        ("q1,d1,3.5\nq1,d2,2.5\n", "x.csv", "no header line; the first line is 'q1,d1,3.5'"),
        ("q1,d1,3.5\nq1,d2,2.5\n", "x.csv", "such as query,item,score)"),
        ("d1,1\nd2,0\n", "x.csv", "such as item,score)"),
        ("d1;1;0;1;1\nd2;0;1;1;1\n", "x.csv", "such as item;S1;S2;S3;S4)"),
        ("q1,A,d1,x,2\nq1,A,d2,y,1\n", "x.csv", "such as query,system,item,score,column5)"),
        ("q1 0 d1 0 ann\nq1 0 d2 1 ann\nq2 0 d3 0 ben\n", "x", "may be judgments with a field"),
        ("q1 0 d1 0 0.9\nq1 0 d2 1 0.8\nq2 0 d3 0 0.7\n", "x", "may be judgments with a field"),
        ("q1 0 d1 0 1700000000\nq1 0 d2 1 1700000009\n", "x", "or a run as 'query Q0 item rank"),
        ("q1 Q0 d1 1 bm25\nq1 Q0 d2 2 bm25\n", "x", "or a run with one less"),
        ("query Q0 item rank score tag\n" + RUN, "x", "the first line is a header: 'query Q0"),
        ("topic iter docid rel\n" + QRELS, "x", "leave it out: runs and judgments have none"),
        ("# made today\nitem,S1\na,1\n", "x.csv", "something stands before the header line"),
        ("A title\n\nquery,item,score\nq,a,1\n", "x.txt", "something stands before the header"),
        ("query item score\nq1 d1 1\nq1 d2 2\n", "x.txt", "cells are parted by blanks"),
        ("doc,docid,score\na,b,1\n", "x.csv", "could all be the item"),
        ("q1 d1 1\nq1 d2 0\n", "x", "2 of the first 2 lines read as 'query item number'"),
        ("q1\td1\t1\nq1\td2\t0\nq2\td1\t-1\n", "x", "or write four fields"),
        ("301 FT911-3 12.75\n301 FT911-4 1500.5\n", "x", "such as 'query,item,relevant'"),
        ("q1,d1,1\nq1,d2,0\n", "x", "read as 'query item number' parted by ','"),
        ("q1,d1,1\nq1,d2,0\n", "x", "add a header line such as 'query,item,relevant'"),
        ("cat, kitten, 1\ncat, lion, 0\n", "x", "read as 'query item number' parted by ','"),
        ("q1;d1;1\nq1;d2;0\n", "x", "such as 'query;item;relevant'"),
        ("q1,0,d1,1\nq1,0,d2,0\n", "x", "read as 'query iteration item grade' parted by ','"),
        ("q1,0,d1,1\nq1,0,d2,0\n", "x", "part the fields by blanks"),
        ("q1,Q0,d1,1,2.5,t\n", "x", "read as 'query Q0 item rank score tag' parted by ','"),
        ("q1 d1 1\nq1 d2 0\n", "x", "for a list of such phrases, make the first line 'item'"),
        ('{"item": "a"\n', "x.json", "not JSON"),
        ("<?xml version='1.0'?>\n<a/>\n", "x.xml", "this is XML, which is not read"),
        ("<!DOCTYPE html>\n<p>404\n", "run.txt", "this is an HTML page"),
        ('[{"item": "a"},\n{"item": }]', "x.json", "x.json:2: not JSON: Expecting value"),
        ("call of duty 4\ngears of war 3\nprince of persia 2\n", "x", "no form is recognised"),
        ("a.png,1 3 10 0\nb.png,1 3 11 0\nc.png,1 3 9 0\n", "x", "numbers parted by blanks"),
        ("question,system,answer\n" + "q,A,the answer number 0\n" * 3, "x.csv", "the items; found"),
        ("subject,predicate,object\ns1,likes,a\ns4,rel,query\n", "x.csv", "found 'subject'"),
        ("word,ann,ben\ncat,1,0\nitem,0,1\ndog,1,1\n", "x.csv", "the items; found 'word'"),
        ("My title,,\nquery,item,score\nq,a,1\n", "x.csv", "something stands before the header"),
    ],
)
def test_what_is_not_clear_is_asked_for(write, content, name, said) -> None:
    with pytest.raises(UsageError) as caught:
        read(write(content, name))
    assert said in str(caught.value)
    assert "fix: " in str(caught.value)


def test_a_mapped_column_makes_a_header(write) -> None:
    path = write("phrase,who,sure\nnew york,A,0.5\n", "x.txt")
    study = read(path, columns={"item": "phrase", "respondent": "who", "vote": "sure"})
    assert study.systems == ("A",)
    assert study.answers.vote.tolist() == [0.5]


def test_a_broken_run_stays_a_run(write) -> None:
    content = "q1 Q0 d1 1 3.5 t\nq1 Q0 d2 x 3.5 t\nq1 Q0 d3 3 y t\nq1 Q0\n"
    with pytest.raises(UsageError) as caught:
        read(write(content))
    assert "rank must be a whole number, found 'x'" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 3
