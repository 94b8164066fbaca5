"""Types and their settings."""

from __future__ import annotations

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
    ) -> GenericType:
        end = close.end if settings is None else settings.end
        return GenericType(name.start, end, name, tuple(arguments), self.fixed_settings(settings))

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
        node = GenericType(outer.start, close.end, name, tuple(arguments))
        written = text[node.start : node.end]
        self.report("E0110", f"`{written}` is not written so here.", node, f"Write `{ours}`.", fix=ours)
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
