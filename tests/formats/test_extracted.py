"""Tables of what was extracted from documents: the phrases are the items, not the documents."""

from __future__ import annotations

import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.formats.roles import assign, by_role


@pytest.mark.parametrize("document", ["document", "doc_id", "docid", "document_id"])
@pytest.mark.parametrize("item", ["keyphrase", "Keyword", "phrase", "term", "entity", "heading"])
def test_phrases_are_items_of_documents(document: str, item: str) -> None:
    assert assign([document, item], {}) == {"item": item, "query": document}
    assert assign([document, "system", item, "score"], {}) == {
        "item": item,
        "query": document,
        "respondent": "system",
        "score": "score",
    }


@pytest.mark.parametrize(
    ("columns", "item"),
    [
        (["query", "doc_id", "term", "score"], "doc_id"),
        (["document", "item", "keyphrase"], "item"),
        (["id", "keyphrase", "relevant"], "id"),
        (["id", "keyword", "S1", "S2", "S3"], "id"),
        (["id", "keyword", "system", "score"], "id"),
        (["doc_id", "keyphrase", "phrase"], "doc_id"),
        (["item_id", "keyword", "label", "annotator"], "item_id"),
        (["text", "entity", "label", "annotator"], "text"),
        (["passage", "keyword", "system"], "passage"),
        (["keyword", "document", "system", "rank"], "document"),
        (["document", "heading", "relevance", "annotator"], "document"),
    ],
)
def test_tables_that_say_otherwise_are_read_as_before(columns: list[str], item: str) -> None:
    assert assign(columns, {})["item"] == item


def test_a_number_before_a_phrase_is_not_told() -> None:
    with pytest.raises(UsageError, match="'id' may number documents or rows"):
        assign(["id", "keyphrase"], {})
    assert assign(["id", "keyphrase"], {"item": "keyphrase"})["item"] == "keyphrase"


def test_a_mapping_of_the_documents_changes_nothing() -> None:
    wanted = {"query": "document", "item": "keyphrase"}
    assert assign(["document", "keyphrase"], {"query": "document"}) == wanted


def test_documents_are_mapped_beside_items() -> None:
    assert by_role({"document": "d", "item": "w"}) == {"query": "d", "item": "w"}
    assert by_role({"keyphrase": "w", "doc_id": "d"}) == {"item": "w", "query": "d"}
    assert by_role({"document": "d"}) == {"item": "d"}


def test_a_document_and_its_text_are_not_told_apart() -> None:
    with pytest.raises(UsageError, match=r"item=text and query=doc_id"):
        assign(["doc_id", "text"], {})


def test_soft_scores_phrases_and_not_documents(tmp_path) -> None:
    gold, mine = tmp_path / "gold.csv", tmp_path / "mine.csv"
    gold.write_text("document,keyphrase\n1,neural nets\n1,cats\n2,dogs\n", encoding="utf-8")
    mine.write_text("document,keyphrase\n1,neural net\n2,dog\n2,cat\n", encoding="utf-8")
    found = cs.soft(gold, mine)
    assert found.given.documents == ("1", "2")
    assert 0.5 < found.f1 < 0.6
