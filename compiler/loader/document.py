"""The text of an OpenAPI document → JSON values, whoever wrote it.

YAML is read by its 1.2 core schema, which has the values of JSON and no others: `no` and `2024-01-01` are texts, keys
are texts (`200:` is "200"), a tag is refused. The parser only composes nodes; values are made here, so that aliases
cannot blow up and no tag can make anything else.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stdlib.values.canonical import JsonError, clean, read_json

if TYPE_CHECKING:
    from yaml.nodes import Node, ScalarNode

MOST_CHARACTERS: Final = 16_000_000
MOST_VALUES: Final = 1_000_000
"""So many values may a document have, an alias counted as often as it is used."""
MOST_DEEP: Final = 200

_SMALL: Final = 1_000_000
"""Characters that cannot hold too many nodes."""

_CORE: Final = "tag:yaml.org,2002:"
# What the parser's own resolver (YAML 1.1) may have found, which is not asked.
_SCALAR_TAGS: Final = frozenset(
    _CORE + name for name in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value")
)
_INTEGER = re.compile(r"[-+]?[0-9]{1,4000}|0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,3000}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why a text is no document."""

    why: str
    line: int | None = None


def read_document(path: str, text: str) -> Any | Unreadable:
    """The value of a JSON or YAML text: JSON where the name says so or it begins like JSON and is JSON."""
    if len(text) > MOST_CHARACTERS:
        return Unreadable(f"It is longer than {MOST_CHARACTERS // 1_000_000} million characters.")
    text = text.removeprefix("\ufeff")
    is_json = path.lower().endswith(".json")
    if is_json or text.lstrip()[:1] in ("{", "["):
        try:
            return read_json(text)
        except JsonError as error:
            if is_json:
                found = re.search(r"at line (\d+)", str(error))
                return Unreadable(str(error), int(found[1]) if found else None)
    return _read_yaml(text)


def _read_yaml(text: str) -> Any | Unreadable:
    import yaml

    # libyaml where it is there: many times faster, and it bounds the nesting itself.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if len(text) > _SMALL and _has_too_many_nodes(text, loader):
            return Unreadable(f"The document has more than {MOST_VALUES} values.")
        root = yaml.compose(text, Loader=loader)
        return clean(_Maker().value(root, 0)) if root is not None else None
    except _Wrong as wrong:
        return Unreadable(wrong.why, wrong.line)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        where = f" at line {line}" if line else ""
        return Unreadable(f"This is no YAML: {error.problem or error.context}{where}.", line)
    except yaml.YAMLError:
        return Unreadable("This is no YAML: it has a character that YAML does not allow.")
    except RecursionError:
        return Unreadable(f"It is nested more than {MOST_DEEP} levels deep.")


def _has_too_many_nodes(text: str, loader: Any) -> bool:
    """Whether there are more than values and their keys can be. A node takes hundreds of bytes for two of the text, so
    they are counted before they are made."""
    import yaml

    nodes = 0
    for event in yaml.parse(text, Loader=loader):
        nodes += isinstance(event, yaml.NodeEvent)
        if nodes > 2 * MOST_VALUES:
            return True
    return False


class _Wrong(Exception):
    def __init__(self, node: Node, why: str) -> None:
        super().__init__(why)
        self.line = node.start_mark.line + 1
        self.why = f"{why} (line {self.line})."


class _Maker:
    """Makes values of nodes, each use of an alias anew: what is made is a tree, and its size is bounded."""

    def __init__(self) -> None:
        from yaml.nodes import MappingNode, ScalarNode, SequenceNode

        self.scalar, self.sequence, self.mapping = ScalarNode, SequenceNode, MappingNode
        self.left = MOST_VALUES

    def value(self, node: Node, deep: int) -> Any:
        self.left -= 1
        if self.left < 0:
            raise _Wrong(node, f"The document has more than {MOST_VALUES} values, those behind aliases counted in")
        if deep > MOST_DEEP:
            raise _Wrong(node, f"It is nested more than {MOST_DEEP} levels deep, or an alias contains itself")
        if isinstance(node, self.scalar):
            return _scalar(node)
        if isinstance(node, self.sequence) and node.tag == f"{_CORE}seq":
            return [self.value(each, deep + 1) for each in node.value]
        if isinstance(node, self.mapping) and node.tag == f"{_CORE}map":
            return self.record(node, deep)
        raise _Wrong(node, f"The tag {str(node.tag)[:80]} has no meaning here")

    def record(self, node: Node, deep: int) -> dict[str, Any]:
        """A mapping; what `<<` merges in stands behind its own keys (YAML 1.1 merge)."""
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, self.scalar):
                raise _Wrong(key, "A key is a text")
            if key.value == "<<" and not key.style:
                found = self.value(value, deep + 1)
                for each in found if isinstance(found, list) else [found]:
                    if not isinstance(each, dict):
                        raise _Wrong(value, "`<<` takes a mapping")
                    merged = {**each, **merged}
            elif key.value in own:
                raise _Wrong(key, f"The key `{key.value[:80]}` is there twice")
            else:
                own[key.value] = self.value(value, deep + 1)
        return {**own, **{key: value for key, value in merged.items() if key not in own}}


def _scalar(node: ScalarNode) -> Any:
    text: str = node.value
    if node.tag not in _SCALAR_TAGS:
        raise _Wrong(node, f"The tag {str(node.tag)[:80]} has no meaning here")
    if node.style:  # quoted, or a block
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise _Wrong(node, f"The number {text[:40]} is too large")
        return number
    return text
