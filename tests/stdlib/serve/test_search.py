"""Words and their order of merit."""

import pytest

from stdlib.serve.search import Field, Index, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("get_issue", ["get", "issu"]),
        ("getIssues", ["get", "issu"]),
        ("Get Issues!", ["get", "issu"]),
        ("HTTPServer2 parseXML", ["http", "server2", "pars", "xml"]),
        ("kebab-case.dotted/path", ["kebab", "cas", "dot", "path"]),
        ("cities boxes searches classes", ["city", "box", "search", "class"]),
        ("running listed status analysis", ["run", "list", "status", "analysis"]),
        ("Straße ÜBER ÜberBlick", ["strass", "über", "über", "blick"]),
        ("Ｆｕｌｌ", ["full"]),
        ("搜索关键词", ["搜索", "索关", "关键", "键词"]),
        ("用Bing搜", ["用", "bing", "搜"]),
        ("получить заказы", ["получить", "заказы"]),
        ("  \u0000 -- __ ", []),
    ],
)
def test_words(text: str, found: list[str]):
    assert list(words(text)) == found


def index(**texts: str) -> Index:
    return Index({name: (Field(name, 3.0), Field(text)) for name, text in texts.items()})


def test_rare_words_count_more_than_common_ones():
    found = index(one="list the files", two="list the invoices", three="list the people")
    assert found.find("list invoices", 5)[0] == "two"
    assert found.find("list invoices", 1) == ["two"]


def test_names_count_more_than_descriptions():
    found = index(send_mail="Delivers.", archive="Moves mail away, to send it later.")
    assert found.find("send mail", 2) == ["send_mail", "archive"]


def test_a_long_text_is_no_advantage():
    found = index(a="invoice " + "other words here " * 50, b="invoice")
    assert found.find("invoice", 2) == ["b", "a"]


def test_equal_scores_keep_the_order():
    found = index(zebra="same", apple="same", mango="same")
    assert found.find("same", 3) == ["zebra", "apple", "mango"]


def test_what_shares_no_word_is_not_found():
    found = index(one="list the files")
    assert found.find("weather", 5) == []
    assert found.find("", 5) == []
    assert Index({}).find("anything", 5) == []


def test_words_without_meaning_count_only_where_there_are_no_others():
    found = index(who_is_it="Finds people.", files="Lists files.")
    assert found.find("who is it", 5) == ["who_is_it"]
    assert found.find("who has the files", 5) == ["files"]
