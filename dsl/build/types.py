"""Types and their settings."""

from __future__ import annotations

from typing import Final

from dsl.build.foreign import ForeignRules
from dsl.build.state import NOTHING, Group, named
from dsl.build.text import TextRules
from dsl.tokens import Token
from dsl.tree import (
    BadType,
    Expr,
    FieldType,
    GenericType,
    LiteralType,
    Name,
    NamedType,
    OptionalType,
    RecordType,
    Setting,
    Text,
    Type,
    UnionType,
)

_OPTIONAL: Final = ("Optional", "Maybe", "Option", "optional", "Nullable")
_MAPS: Final = ("Record", "Dict", "dict", "Map", "Mapping", "HashMap")
_KEYS: Final = ("string", "str", "String")


class TypeRules(TextRules, ForeignRules):
    def union_type(self, members: list[Type]) -> UnionType:
        return UnionType(members[0].start, members[-1].end, tuple(members))

    def optional_type(self, inner: Type, mark: Token) -> OptionalType:
        return OptionalType(inner.start, mark.end, inner)

    def named_type(self, path: tuple[Name, ...], settings: Group | None) -> NamedType:
        end = path[-1].end if settings is None else settings.end
        return NamedType(path[0].start, end, path, self.fixed_settings(settings))

    def generic_type(
        self, name: Name, _open: Token, arguments: list[Type], close: Token, settings: Group | None
    ) -> Type:
        end = close.end if settings is None else settings.end
        known = self._known_elsewhere(name, arguments, close.end)
        return known or GenericType(name.start, end, name, tuple(arguments), self.fixed_settings(settings))

    def literal_type(self, text: Text) -> LiteralType:
        return LiteralType(text.start, text.end, self.fixed(text, "A type").plain or "")

    def bad_type(self, word: Token) -> BadType:
        return BadType(word.start, word.end)

    def record_type(
        self, opening: Token, fields: list[FieldType] | None, _comma: Token | None, closing: Token
    ) -> RecordType:
        items = tuple(fields or NOTHING)
        if len(items) > 1:
            self.once(items, named, " in this type")
        return RecordType(opening.start, closing.end, items)

    def field_type(
        self, name: Name, _colon: Token, type_: Type, _equal: Token | None, default: Expr | None
    ) -> FieldType:
        end = type_.end if default is None else default.end
        return FieldType(name.start, end, self.doc(name.start), name, type_, default)

    # -- written as elsewhere

    def foreign_array_type(self, inner: Type, _open: Token, close: Token) -> GenericType:
        written = self.source.text[inner.start : inner.end]
        ours = f"list<{written}>"
        node = GenericType(inner.start, close.end, Name(close.start, close.start, "list"), (inner,))
        self.report("E0110", f"`{written}[]` is not written so here.", node, f"Write `{ours}`.", fix=ours)
        return node

    def foreign_generic_type(self, outer: Type, _open: Token, arguments: list[Type], close: Token) -> Type:
        text = self.source.text
        inner = ", ".join(text[argument.start : argument.end] for argument in arguments)
        ours = f"{text[outer.start : outer.end]}<{inner}>"
        name = outer.path[0] if isinstance(outer, NamedType) else Name(outer.start, outer.end, "list")
        known = self._known_elsewhere(name, arguments, close.end)
        if known is not None:
            return known
        node = GenericType(outer.start, close.end, name, tuple(arguments))
        written = text[node.start : node.end]
        self.report("E0110", f"`{written}` is not written so here.", node, f"Write `{ours}`.", fix=ours)
        return node

    def _known_elsewhere(self, name: Name, arguments: list[Type], end: int) -> Type | None:
        """`Optional<T>` and `Record<string, T>`, in any brackets."""
        text, inner = self.source.text, arguments[-1]
        written = text[inner.start : inner.end]
        node: Type
        if name.text in _OPTIONAL and len(arguments) == 1:
            several = isinstance(inner, UnionType) and not written.startswith("(")
            ours = f"({written})?" if several else written if isinstance(inner, OptionalType) else f"{written}?"
            node = inner if isinstance(inner, OptionalType) else OptionalType(name.start, end, inner)
        elif name.text in _MAPS and len(arguments) == 2 and text[arguments[0].start : arguments[0].end] in _KEYS:
            ours = f"map<{written}>"
            node = GenericType(name.start, end, Name(name.start, name.end, "map"), (inner,))
        else:
            return None
        whole = NamedType(name.start, end, (name,), ())
        message = f"`{text[name.start : end]}` is not written so here."
        self.report("E0110", message, whole, f"Write `{ours}`.", fix=ours)
        return node

    def foreign_optional_field(self, name: Name, mark: Token, _colon: Token, type_: Type) -> FieldType:
        text = self.source.text
        written = text[type_.start : type_.end]
        label = text[name.start : name.end]
        optional = OptionalType(type_.start, type_.end, type_)
        node = FieldType(name.start, type_.end, self.doc(name.start), name, optional)
        body = f"({written})" if isinstance(type_, UnionType) and not written.startswith("(") else written
        ours = f"{label}: {body}" + ("" if isinstance(type_, OptionalType) else "?")
        self.report("E0110", f"`{label}?: …` is not written so here.", node, f"Write `{ours}`.", fix=ours)
        return node

    # -- settings

    def setting(self, name: Name, _colon: Token, value: Expr) -> Setting:
        return Setting(name.start, value.end, name, value)

    def settings(self, opening: Token, items: list[Setting] | None, _comma: Token | None, closing: Token) -> Group:
        found = tuple(items or NOTHING)
        if len(found) > 1:
            self.once(found, named, "")
        return Group(found, opening.start, closing.end)

    def fixed_settings(self, settings: Group | None) -> tuple[Setting, ...]:
        """The settings of a type: a pattern among them is fixed text."""
        if settings is None:
            return ()
        found: tuple[Setting, ...] = settings.items
        for setting in found:
            if isinstance(setting.value, Text):
                self.fixed(setting.value, f"`{setting.name.text}`")
        return found
