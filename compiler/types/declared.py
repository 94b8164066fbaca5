"""Types as written → types. Named types and kinds are looked up in the file, `alias.Name` in the imported one."""

from __future__ import annotations

from compiler.project import Module, Project
from compiler.types.constants import shown_default
from compiler.types.extent import DEEPEST, MOST_OPEN, MOST_PLACES, Extent
from compiler.types.refinements import constraints
from compiler.types.report import did_you_mean, listing, mended, near, report_for
from dsl import tree
from dsl.diagnostics import Sink
from stdlib.values.types import (
    ERROR,
    SCALARS,
    Field,
    Handle,
    ListType,
    LiteralType,
    MapType,
    Record,
    Scalar,
    Type,
    may_be_null,
    optional,
    union,
)

FOREIGN = {
    "str": "string",
    "text": "string",
    "char": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "any": "json",
    "object": "json",
    "dict": "map<json>",
    "array": "list<json>",
    "list": "list<json>",
    "map": "map<json>",
    "datetime": "timestamp",
    "time": "timestamp",
    "uri": "url",
}
"""Names that other languages have for types, and what they are here."""

FOREIGN_GENERICS = {
    "array": "list",
    "list": "list",
    "set": "list",
    "sequence": "list",
    "vec": "list",
    "map": "map",
    "dict": "map",
    "record": "map",
    "object": "map",
}

_USE_JSON = "Use `json` for a part of it, and say with `as` what that is where it is needed."


class DeclaredTypes:
    """Reads written types. What was read is kept in `types` by `id(node)`.

    `field_defaults` lists the defaults of fields (file, field, its type): they are expressions, so others check them.
    """

    def __init__(self, project: Project, sink: Sink, types: dict[int, Type]) -> None:
        self._modules = project.modules
        self._types = types
        self._reports = {path: report_for(module.file, sink) for path, module in project.modules.items()}
        self._named: dict[tuple[str, str], tree.TypeDecl] = {}
        self._kinds: dict[tuple[str, str], tree.KindDecl] = {}
        self._open: list[tuple[str, str]] = []
        self.field_defaults: list[tuple[str, tree.FieldType, Type]] = []
        self._circular: set[tuple[str, str]] = set()
        self._extent = Extent()
        self._depth = 0
        self._sized: dict[tuple[str, str], Type] = {}
        for path, module in project.modules.items():
            for item in module.file.items:
                if isinstance(item, tree.TypeDecl):
                    self._named.setdefault((path, item.name.text), item)
                elif isinstance(item, tree.KindDecl):
                    self._kinds.setdefault((path, item.name.text), item)

    def read(self, module: Module, node: tree.Type) -> Type:
        """The type that `node` writes; what cannot be read is reported once and is the error type."""
        known = self._types.get(id(node))
        if known is None:
            self._depth += 1
            known = self._types[id(node)] = (
                self._read(module, node) if self._depth <= MOST_OPEN else self._deep(module, node)
            )
            self._depth -= 1
        return known

    def border(self, module: Module, node: tree.Type, *, optional_too: bool = True) -> Type:
        """The type of an input or output, which may be a handle, or with `optional_too` one that may be left out."""
        if isinstance(node, tree.OptionalType) and optional_too and _is_handle(node.inner):
            found = optional(self.border(module, node.inner))
        elif isinstance(node, tree.GenericType) and _is_handle(node):
            found = self._handle(module, node.arguments[0])
        else:
            return self.read(module, node)
        return self._types.setdefault(id(node), found)

    def result(self, module: Module, node: tree.Type) -> tuple[Type, str | None]:
        """The type of what a tool gives, and where it is kept under a handle, the kind: the type is then that of what
        is stored."""
        if not isinstance(node, tree.GenericType) or not _is_handle(node):
            return self.read(module, node), None
        found = self._handle(module, node.arguments[0])
        if not isinstance(found, Handle) or not isinstance(node.arguments[0], tree.NamedType):
            return ERROR, None
        where, _ = self._lookup(module, node.arguments[0].path)
        assert where is not None, "the kind was found there"
        return self.read(where, self._kinds[where.path, found.kind].type), found.kind

    def may_be_left_out(self, module: Module, node: tree.Type) -> bool:
        """Whether an input or field of this type may be absent: it may be null, or is `json?`."""
        while isinstance(node, tree.NamedType) and not may_be_null(self.read(module, node)):
            where, _ = self._lookup(module, node.path)
            decl = self._named.get((where.path, node.path[-1].text)) if where else None
            if decl is None or where is None or (where.path, node.path[-1].text) in self._circular:
                return False
            module, node = where, decl.type
        return isinstance(node, tree.OptionalType) or may_be_null(self.border(module, node))

    def kinds(self) -> dict[str, Type]:
        """Every kind of the project with the type of its stored value; two kinds of one name are reported."""
        found: dict[str, Type] = {}
        first: dict[str, tuple[str, tree.KindDecl]] = {}
        for (path, name), decl in self._kinds.items():
            stored = self.read(self._modules[path], decl.type)
            if name in first and found[name] != stored:
                other, at = first[name]
                self._reports[path](
                    "E0301",
                    decl.name,
                    f"The kind `{name}` is declared twice with different types.",
                    helps="Handles are told apart by the name of their kind: give one of them another name.",
                    also=(self._reports[other].place(at.name, "the other one"),),
                )
            elif name not in first:
                found[name], first[name] = stored, (path, decl)
        return found

    # ------------------------------------------------------------------ one construct each

    def _read(self, module: Module, node: tree.Type) -> Type:
        match node:
            case tree.NamedType():
                return self._named_type(module, node)
            case tree.OptionalType(inner=inner):
                return optional(self.read(module, inner))
            case tree.UnionType(members=members):
                return union(*[self.read(module, m) for m in members])
            case tree.LiteralType(value=value):
                return LiteralType(value)
            case tree.RecordType():
                return self._record(module, node)
            case tree.GenericType():
                return self._generic(module, node)
            case tree.BadType():
                return ERROR

    def _named_type(self, module: Module, node: tree.NamedType) -> Type:
        report = self._reports[module.path]
        name = node.path[0].text
        if len(node.path) == 1:
            scalar = SCALARS.get(name)
            if scalar is not None and not node.settings:
                return scalar
            if scalar is not None:
                return Scalar(name, constraints(report, name, node.settings))
        where, missing = self._lookup(module, node.path)
        if missing:
            return ERROR
        decl = self._named.get((where.path, node.path[-1].text)) if where else None
        if decl is None or where is None:
            self._unknown(module, node, where)
            return ERROR
        for setting in node.settings:
            report(
                "E0506",
                setting.name,
                f"`{report.text(node)}` cannot be refined where it is used.",
                helps=f"Write the refinement where `{decl.name.text}` is declared.",
            )
        return self._declaration(where, decl)

    def _lookup(self, module: Module, path: tuple[tree.Name, ...]) -> tuple[Module | None, bool]:
        """The module that a type's path leads to, and whether the import is missing for a reason already told."""
        if len(path) == 1:
            return module, False
        alias = path[0].text
        if alias in module.broken:
            return None, True
        target = module.chain_imports.get(alias)
        return (self._modules.get(target) if target and len(path) == 2 else None), False

    def _declaration(self, module: Module, decl: tree.TypeDecl) -> Type:
        key = (module.path, decl.name.text)
        if key in self._circular:
            return ERROR
        if key in self._open:
            loop = self._open[self._open.index(key) :]
            self._circular.update(loop)
            names = " → ".join([*(name for _, name in loop), decl.name.text])
            self._reports[module.path](
                "E0305",
                decl.name,
                f"The type `{decl.name.text}` contains itself: {names}.",
                helps="Types have a fixed depth. Use `json` at the place where it would repeat.",
            )
            return ERROR
        if key in self._sized:
            return self._sized[key]
        self._open.append(key)
        try:
            found = self.read(module, decl.type)
        finally:
            self._open.pop()
        if key in self._circular:
            return ERROR
        return self._sized.setdefault(key, self._of_bearable_size(module, decl, found))

    def _of_bearable_size(self, module: Module, decl: tree.TypeDecl, found: Type) -> Type:
        depth, places = self._extent.of(found)
        if depth > DEEPEST:
            return self._too_large(module, decl, f"is nested more than {DEEPEST} levels deep")
        if places > MOST_PLACES:
            return self._too_large(module, decl, f"has more than {MOST_PLACES:,} parts, with all that it names put in")
        return found

    def _deep(self, module: Module, node: tree.Type) -> Type:
        message = f"This is nested more than {DEEPEST} levels deep, with all that is around it."
        self._reports[module.path]("E0118", node, message, helps=_USE_JSON)
        return ERROR

    def _too_large(self, module: Module, decl: tree.TypeDecl, why: str) -> Type:
        self._reports[module.path]("E0118", decl.name, f"The type `{decl.name.text}` {why}.", helps=_USE_JSON)
        return ERROR

    def _unknown(self, module: Module, node: tree.NamedType, where: Module | None) -> None:
        report = self._reports[module.path]
        written = ".".join(part.text for part in node.path)
        name = node.path[-1].text
        if where is not None and not where.file.complete:
            return  # it may stand in what could not be read
        if len(node.path) > 1:
            alias = node.path[0].text
            if where is None:
                known = did_you_mean(alias, module.chain_imports)
                report("E0402", node, f"I cannot find the type `{written}`.", helps=known)
                return
            theirs = [f"{alias}.{n}" for path, n in self._named if path == where.path]
            report("E0402", node, f"I cannot find the type `{written}`.", helps=mended(written, theirs, "There are"))
            return
        if name == "handle":
            kinds = [f"handle<{n}>" for path, n in self._kinds if path == module.path]
            hint = listing("Write one of", kinds) or "Declare one, `kind rows = list<Row>`, and write `handle<rows>`."
            report("E0403", node, "A handle is of a kind, which says what is stored.", helps=hint)
            return
        foreign = FOREIGN.get(name) or FOREIGN.get(name.lower()) or (name.lower() if name.lower() in SCALARS else None)
        if foreign:
            fixes = (report.replace(node, foreign),) if not node.settings else ()
            report("E0402", node, f"I cannot find the type `{name}`.", helps=f"Write `{foreign}`.", fixes=fixes)
            return
        if (module.path, name) in self._kinds:
            hint = f"`{name}` is a kind of handle: write `handle<{name}>`."
            report("E0402", node, f"I cannot find the type `{name}`.", helps=hint)
            return
        here = [*(n for path, n in self._named if path == module.path), *SCALARS]
        elsewhere = [f"{alias}.{name}" for alias, path in module.chain_imports.items() if (path, name) in self._named]
        hint = f"Did you mean `{elsewhere[0]}`?" if elsewhere else did_you_mean(name, here)
        if not hint:
            there = {n: alias for alias, path in module.chain_imports.items() for p, n in self._named if p == path}
            other = near(name, there)
            hint = f"Did you mean `{there[other]}.{other}`?" if other else ""
        meant = self._named.get((module.path, near(name, here) or "")) if not elsewhere else None
        also = (report.place(meant.name, "declared here"),) if meant is not None else ()
        hint = hint or f"Declare it: `type {name} = …`."
        report("E0402", node, f"I cannot find the type `{name}`.", helps=hint, also=also)

    def _record(self, module: Module, node: tree.RecordType) -> Record:
        fields: dict[str, Field] = {}
        for f in node.fields:
            name = f.name.text
            declared = self.read(module, f.type)
            required = f.default is None and not self.may_be_left_out(module, f.type)
            fields.setdefault(name, Field(name, declared, required, f.doc, shown_default(f.default)))
            if f.default is not None:
                self.field_defaults.append((module.path, f, declared))
        return Record(tuple(fields.values()))

    def _generic(self, module: Module, node: tree.GenericType) -> Type:
        report = self._reports[module.path]
        name = node.name.text
        if name not in ("list", "map", "handle"):
            ours = FOREIGN_GENERICS.get(name.lower())
            report(
                "E0402",
                node.name,
                f"`{name}<…>` is not a type.",
                helps=f"Write `{ours}`." if ours else "There are list<T>, map<T> and handle<kind>.",
                fixes=(report.replace(node.name, ours),) if ours else (),
            )
            return ERROR
        if len(node.arguments) != 1:
            form = {"list": "list<T>", "map": "map<T>", "handle": "handle<kind>"}[name]
            hint = "The keys of a map are always texts: write only the type of its values." if name == "map" else ""
            report("E0402", node, f"`{name}` takes one type: `{form}`.", helps=hint)
            return ERROR
        if name == "handle":
            return self._inner_handle(module, node)
        inner = self.read(module, node.arguments[0])
        if name == "map":
            for setting in node.settings:
                report("E0506", setting.name, "`map` has no settings.")
            return MapType(inner)
        return ListType(inner, constraints(report, "list", node.settings))

    def _inner_handle(self, module: Module, node: tree.GenericType) -> Type:
        """A handle where there is none: it crosses the border by itself, and inside is the value that is stored."""
        found = self._handle(module, node.arguments[0])
        if isinstance(found, Handle):
            self._reports[module.path](
                "E0403",
                node,
                "A handle is a whole input or output of a chain, or the whole result of a tool.",
                helps="Inside a chain it is the value that is stored: write the type of that.",
            )
        return ERROR

    def _handle(self, module: Module, node: tree.Type) -> Type:
        report = self._reports[module.path]
        if isinstance(node, tree.BadType):
            return ERROR
        if isinstance(node, tree.NamedType):
            where, missing = self._lookup(module, node.path)
            if missing:
                return ERROR
            name = node.path[-1].text
            if where is not None and (where.path, name) in self._kinds:
                return Handle(name)
            if where is not None and not where.file.complete:
                return ERROR
            written = ".".join(part.text for part in node.path)
            known = did_you_mean(name, (n for path, n in self._kinds if where and path == where.path))
            report(
                "E0403",
                node,
                f"There is no handle kind `{written}`.",
                helps=known or f"Declare it: `kind {name} = list<Row>`, with the type of what is stored.",
            )
            return ERROR
        report(
            "E0403",
            node,
            "A handle has a kind, not a type.",
            helps=f"Declare one, `kind NAME = {report.text(node)}`, and write `handle<NAME>`.",
        )
        return ERROR


def _is_handle(node: tree.Type) -> bool:
    return isinstance(node, tree.GenericType) and node.name.text == "handle" and len(node.arguments) == 1
