"""The formatter: one style for all `.chain` files.

- Two spaces for each level, lines of at most 120 columns, `\\n` at every end of a line, no BOM.
- Every declaration has its own line, and so has every clause; a clause that is alone in its `{ … }` may stay on the
  line of the brackets.
- A bracket stays on one line if it fits and its author did not begin a new line in it; otherwise every item has its
  own line and is followed by a comma. A bracket around nothing but another one leaves the new lines to that.
- An expression stays on one line if it fits; otherwise its loosest operators, `else`, `|` begin new lines.
- Of a tool that is too long for a line the shape behind `returns` opens first, then that behind `takes`.
- Comments stay where they are, before or behind the same words; blank lines as well, never two in a row.
- Words, numbers, texts and their escapes, quoted names and brackets around expressions are left as they are written.
"""

from __future__ import annotations

from dsl.diagnostics import Sink
from dsl.format.document import Document, Lines
from dsl.format.files import FileRules
from dsl.format.fixes import fix_text
from dsl.format.gaps import gaps
from dsl.format.printer import printed
from dsl.lexer import Lexed, lex
from dsl.parser import parse, read
from dsl.source import Source


class Rules(FileRules):
    """For every alias of `grammar.lark` one method, which makes a document of the parts that the parser read."""

    # Read in texts with mistakes only, which are not formatted.
    bad_type = bad_expr = foreign_array_type = foreign_generic_type = FileRules.joined
    foreign_optional_field = foreign_lambda = FileRules.joined


def format_text(source: Source, sink: Sink | None = None) -> str:
    """The text in the one style; the text as it is where it has mistakes, which go to `sink`."""
    found = Sink()
    parse(source, found)
    if sink is not None:
        sink.extend(found)
    if found.has_errors:
        return source.text
    lexed = lex(source)
    document = _document(lexed, source.text)
    if document is None:
        # There are signs that only the careful reading takes apart, as in `list<a>=b`.
        from dsl.build import Builder
        from dsl.recovery import Recovery

        careful = Recovery(lexed, Builder(source, dict(lexed.docs)))
        careful.run()
        lexed.tokens = careful.tokens
        document = _document(lexed, source.text)
    assert document is not None  # the same words have just been read without a mistake
    text = printed(document)
    return text + "\n" if text else ""


def _document(lexed: Lexed, text: str) -> Document | None:
    between = gaps(lexed, text)
    items: list[Document] | None = read(lexed.tokens, Rules(between))
    if items is None:
        return None
    end = between.before.get(lexed.tokens[-1].start)
    return Lines((*items, *(() if end is None else (end,))))


__all__ = ["Rules", "fix_text", "format_text"]
