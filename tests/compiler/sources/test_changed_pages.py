"""What changed in what a document says about pages, in words."""

from compiler.sources.changed_pages import changed_pages


def test_what_is_said_about_pages_has_its_words():
    by_page = {"style": "page", "argument": "page"}
    by_cursor = {"style": "cursor", "argument": "at", "field": ["meta", "next"]}
    assert changed_pages(by_page, dict(by_page)) == changed_pages(None, None) == ()
    assert changed_pages(by_page, None) == ("says nothing about pages of its answer any more",)
    assert changed_pages(None, {"style": "link"}) == ("says that its answer comes in pages",)
    assert changed_pages(None, by_page) == ("says that its answer comes in pages, the next by `page`",)
    assert changed_pages(by_page, by_cursor) == (
        "says that its answer comes in other pages, the next by `at`, told by `meta.next`",
    )
