"""How the page of a code is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dsl import codes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of pages."""
    monkeypatch.setattr(codes, "_FOLDER", str(tmp_path))
    codes.codes.cache_clear()
    codes.page.cache_clear()
    yield tmp_path
    codes.codes.cache_clear()
    codes.page.cache_clear()


PAGE = """\
# E0408: this may be null

Prose.

```chain wrong
let a = b.c
```

```chain right
let a = b?.c
```

```text
not a program
```

```chain right
let a = b!.c
```
"""


def test_a_page_is_title_text_and_programs(folder: Path):
    (folder / "E0408.md").write_text(PAGE, encoding="utf-8")
    assert codes.page("E0408") == codes.Page(
        code="E0408",
        title="this may be null",
        text=PAGE,
        wrong=("let a = b.c\n",),
        right=("let a = b?.c\n", "let a = b!.c\n"),
    )


def test_only_codes_have_pages(folder: Path):
    for name in ("W0310.md", "E0408.md", "README.md", "E0409.txt", "E04080.md", "__init__.py"):
        (folder / name).write_text("# x\n", encoding="utf-8")
    assert codes.codes() == ("E0408", "W0310")
    assert [codes.page(name) for name in ("README", "E0409", "e0408", "../x", "")] == [None] * 5
