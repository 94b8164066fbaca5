"""Calls of built-in functions, held against the signatures of the function table."""

from __future__ import annotations

from compiler.check.compare import order_kind
from compiler.check.division import check_divisor
from compiler.check.fit import expect
from compiler.check.join import as_list
from compiler.check.labels import field_label, null_label, type_label
from compiler.check.misfit import Slot, plain
from compiler.check.origin import blamed
from compiler.check.patterns import bad_pattern
from compiler.check.scope import Scope
from compiler.check.surplus import surplus
from compiler.check.unify import Bound, bind, filled, has_variable
from compiler.types.report import did_you_mean, listing, mended, near, shown
from dsl import tree
from dsl.diagnostics import Label
from stdlib.functions import FOREIGN, find, names
from stdlib.functions.entry import Entry
from stdlib.functions.signature import Parameter
from stdlib.values.subtype import Misfit, fits
from stdlib.values.types import (
    BOOLEAN,
    DURATION,
    ERROR,
    JSON,
    NUMBER,
    ErrorType,
    ListType,
    MapType,
    Never,
    Record,
    Type,
    Variable,
    is_text,
    may_be_null,
    members,
    present,
    read,
)

PREDICATES = ("succeeded", "skipped", "failed")
"""They take a step's name; nothing else does."""


def is_function(name: str) -> bool:
    return name in PREDICATES or find(name) is not None


def function(scope: Scope, node: tree.Function) -> Type:
    """The type of a function's result; unknown functions and arguments that do not fit are reported."""
    name = node.name.text
    if name in PREDICATES:
        return _predicate(scope, node)
    entry = find(name)
    if entry is None:
        _unknown(scope, node)
        for argument in node.arguments:
            scope.infer(argument.value)
        return ERROR
    return _Call(scope, node, entry).result()


def _unknown(scope: Scope, node: tree.Function) -> None:
    name = node.name.text
    if any(node.start <= start and end <= node.end for start, end in scope.report.told):
        return  # what stands in it belongs to another language, which is told there
    hint = FOREIGN.get(name) or did_you_mean(name, [*names(), *PREDICATES])
    if name in scope.file.names.chains:
        message = f"`{name}` is a chain: chains are called by a step, not inside an expression."
        hint = f"Write `step x = {name}(…)`, then use `x` here."
        scope.report("E0302", node, message, helps=hint)
        return
    scope.report("E0308", node.name, f"There is no function `{name}`.", helps=hint)


def _predicate(scope: Scope, node: tree.Function) -> Type:
    name = node.name.text
    value = node.arguments[0].value if len(node.arguments) == 1 else None
    plain = value is not None and node.arguments[0].name is None and not node.arguments[0].spread
    if isinstance(value, tree.Ref) and plain and scope.chain is not None:
        symbol = scope.chain.names.symbols.get(value.name)
        if symbol is not None and symbol.kind == "step":
            scope.infer(value)
            return BOOLEAN
        if symbol is None and value.name not in scope.variables and isinstance(scope.infer(value), ErrorType):
            return BOOLEAN  # there is no such name, which is told
    at = value if value is not None else node
    scope.report("E0404", at, f"`{name}` takes the name of a step.", helps=f"For example `{name}(posted)`.")
    return BOOLEAN


class _Call:
    """One call; `bound` has what the type variables stand for, `by` the field that `by` names."""

    def __init__(self, scope: Scope, node: tree.Function, entry: Entry) -> None:
        self.scope = scope
        self.node = node
        self.entry = entry
        self.bound: Bound = {}
        self.by: str | None = None
        self.given: dict[str, tree.Expr] = {}
        self.found: dict[str, Type] = {}
        self.wrong = False

    def result(self) -> Type:
        if not self._assign():
            return ERROR
        for parameter in self.entry.signature.parameters:
            value = self.given.get(parameter.name)
            if value is None:
                continue
            if parameter.field_of is not None:
                self._field(parameter, value)
            else:
                self._argument(parameter, value)
        if (
            self.entry.name == "div"
            and not self.wrong
            and not check_divisor(self.scope, self.given[self.entry.signature.parameters[1].name])
        ):
            return ERROR
        if self.wrong or any(isinstance(t, ErrorType) for t in self.bound.values()):
            return ERROR
        if not self._demand():
            return ERROR
        return filled(self.entry.signature.result, self.bound, self.by)

    def _assign(self) -> bool:
        """Arguments to parameters: the first ones by position, the others by name."""
        parameters = self.entry.signature.parameters
        positional = [p for p in parameters if p.positional]
        name, report, count = self.entry.name, self.scope.report, 0
        extra: list[tree.Argument] = []
        for argument in self.node.arguments:
            if argument.spread:
                self.wrong = True
                report(
                    "E0501", argument, f"`...` does not go into a function; `{name}` takes its arguments one by one."
                )
            elif argument.name is not None:
                parameter = next((p for p in parameters if p.name == argument.name.text and not p.positional), None)
                if parameter is None or parameter.name in self.given:
                    self.wrong = True
                    self._bad_name(argument.name)
                else:
                    self.given[parameter.name] = argument.value
                    continue
            elif count < len(positional):
                self.given[positional[count].name] = argument.value
                count += 1
                continue
            else:
                extra.append(argument)
            self.scope.infer(argument.value)
        if extra:
            self.wrong = True
            surplus(self.scope, self.node, self.entry, extra)
        missing = [p for p in parameters if p.required and p.name not in self.given]
        if missing and not self.wrong:
            self.wrong = True
            wanted = ", ".join(f"`{p.name}: …`" if not p.positional else show_form(p) for p in missing)
            report("E0502", self.node, f"`{name}` also needs {wanted}.", helps=f"Its form is `{self.entry.text}`.")
        if self.wrong:
            for value in self.given.values():
                self.scope.infer(value)
        return not self.wrong

    def _bad_name(self, at: tree.Name) -> None:
        name, named = self.entry.name, [p.name for p in self.entry.signature.parameters if not p.positional]
        hint = mended(at.text, named, "It has") or f"Its form is `{self.entry.text}`."
        self.scope.report("E0501", at, f"`{name}` has no parameter `{at.text}`.", helps=hint)

    def _argument(self, parameter: Parameter, value: tree.Expr) -> None:
        name = self.entry.name
        if not has_variable(parameter.type):
            wanted = f"`{name}` wants {shown(parameter.type)}"
            if not parameter.positional:
                wanted = f"`{parameter.name}` of `{name}` wants {shown(parameter.type)}"
            slot = Slot("E0404", f"{wanted} here" if parameter.positional else wanted, f"`{name}` does not fit")
            before = len(self.scope.report.sink)
            found = expect(self.scope, value, parameter.type, slot)
            if parameter.name == "pattern" and isinstance(value, tree.Text):
                bad_pattern(self.scope.report, value)
            self.wrong = self.wrong or len(self.scope.report.sink) > before
            self.found[parameter.name] = found
            return
        found = self.scope.infer(value)
        self.found[parameter.name] = found
        if isinstance(found, ErrorType):
            self.wrong = True
            return
        misfit = bind(parameter.type, found, self.bound)
        if misfit is not None:
            self.wrong = True
            if not blamed(self.scope, value, found):
                self._misfit(value, parameter.type, found, misfit)

    def _misfit(self, value: tree.Expr, wanted: Type, found: Type, misfit: Misfit) -> None:
        name, report = self.entry.name, self.scope.report
        form = _form(wanted)
        if may_be_null(found) and not misfit.path:
            hint = f"Write `{report.text(value)} ?? []`." if isinstance(wanted, ListType) else ""
            message = f"`{name}` needs {form}, but this may be null ({shown(found)})."
            report("E0408", value, message, helps=hint, also=null_label(self.scope, value))
            return
        hint = ""
        if isinstance(found, MapType | Record) and isinstance(wanted, ListType):
            hint = f"Write `{name}(values({report.text(value)}), …)` or `entries(…)`."
        elif present(found) == JSON:
            hint = f"Say what it is: `{report.text(value)} as list<…>`."
        part = misfit.found
        kind = shown(plain(found))
        where = f"`{misfit.path}` is {shown(plain(part))}" if misfit.path and part is not None else f"this is {kind}"
        also = type_label(self.scope, value, path=misfit.path)
        report("E0404", value, f"`{name}` needs {form}, but {where}.", helps=hint, also=also)

    def _field(self, parameter: Parameter, value: tree.Expr) -> None:
        """`by: "field"`: a plain text that names a field of the items."""
        found = ERROR if self._of_no_item(value) else self.scope.infer(value)
        name = value.plain if isinstance(value, tree.Text) else None
        item = self.bound.get(parameter.field_of or "", ERROR)
        if name is None:
            self.wrong = True
            if not isinstance(found, ErrorType) or self._of_no_item(value):
                message = f"`{parameter.name}` is the name of a field, written as a plain text."
                field = value.name.text if isinstance(value, tree.Member) else "name"
                self.scope.report("E0404", value, message, helps=f'For example `{parameter.name}: "{field}"`.')
            return
        record = present(item)
        if isinstance(record, ErrorType | Never):
            self.by = name
            return
        if not isinstance(record, Record):
            self.wrong = True
            hint = f"Say what they are: `… as list<{{ {name}: string }}>`." if record == JSON else ""
            message = f"The items are {shown(item)}, so they have no field `{name}`."
            self.scope.report("E0401", value, message, helps=hint, also=self._items_label(name))
            return
        if record.field(name) is None:
            self.wrong = True
            hint = mended(name, [f.name for f in record.fields], "They have")
            also = self._items_label(name, near(name, [f.name for f in record.fields]))
            self.scope.report("E0401", value, f"The items have no field `{name}`.", helps=hint, also=also)
            return
        self.by = name

    def _items_label(self, name: str, meant: str | None = None) -> tuple[Label, ...]:
        """Where the items were written that have no such field."""
        value = self.given.get(self.entry.signature.parameters[0].name)
        return field_label(self.scope, value, name, meant, "[]") if value is not None else ()

    def _of_no_item(self, value: tree.Expr) -> bool:
        """`by: x.name`, where no `x` is known: meant is the field of each item."""
        if not isinstance(value, tree.Member) or not isinstance(value.base, tree.Ref):
            return False
        name, chain = value.base.name, self.scope.chain
        known = name in self.scope.variables or (chain is not None and chain.names.taken(name) is not None)
        return not known and name not in self.scope.file.names.declared and name != "run"

    def _demand(self) -> bool:
        """What the function needs of the values that it compares."""
        entry = self.entry
        if entry.ordered is None or entry.demands is None or entry.ordered not in self.found:
            return True
        key = self.found[entry.ordered]
        inner = present(key)
        items = as_list(inner)
        if items is not None:
            key = items.item
        elif isinstance(inner, MapType):
            key = inner.value
        elif any(isinstance(t, Variable) for t in (p.type for p in entry.signature.parameters)):
            key = self.bound.get("T", key)
        if self.by is not None:
            record = present(key)
            f = record.field(self.by) if isinstance(record, Record) else None
            if f is None:
                return True
            key = read(f)
        if isinstance(key, ErrorType | Never):
            return True
        said = _unmet(entry.demands, key)
        if not said:
            return True
        at = self.given["by"] if self.by is not None else self.given[entry.ordered]
        kind = shown(plain(key))
        what = f"the field `{self.by}` is {kind}" if self.by is not None else f"the items are {kind}"
        hint = ""
        if isinstance(present(key), Record) and any(p.field_of for p in entry.signature.parameters) and not self.by:
            hint = 'Name a field of them: `by: "…"`.' + " " + listing("They have", _fields(key))
        elif "null" in said:
            first = f"[x for x in … if x.{self.by} != null]" if self.by else "compact(…)"
            hint = f"Leave those out first: `{first}`."
        path = f"[].{self.by}" if self.by is not None else "[]" if items is not None else ""
        value = self.given[entry.ordered]
        also = null_label(self.scope, value, path) if may_be_null(key) else type_label(self.scope, value, path=path)
        self.scope.report("E0404", at, f"`{entry.name}` {said}, but {what}.", helps=hint, also=also)
        return False


def _fields(t: Type) -> list[str]:
    record = present(t)
    return [f.name for f in record.fields] if isinstance(record, Record) else []


def _unmet(demand: str, key: Type) -> str:
    """What a demand asks for, where the key does not give it."""
    if demand == "equality":
        return ""
    if demand == "key":
        if may_be_null(key):
            return "needs a key that is never null"
        fine = all(is_text(m) or fits(m, NUMBER) is None or fits(m, BOOLEAN) is None for m in members(key))
        return "" if fine else "needs a text, number or boolean as the key"
    inner = present(key)
    if demand == "number":
        return "" if fits(inner, NUMBER) is None else "needs numbers"
    if demand == "quantity":
        fine = fits(inner, NUMBER) is None or fits(inner, DURATION) is None
        return "" if fine else "adds up numbers or durations"
    return "" if order_kind(inner) or fits(inner, BOOLEAN) is None else "orders numbers, texts and times"


def show_form(parameter: Parameter) -> str:
    return _form(parameter.type)


def _form(t: Type) -> str:
    """A parameter's type for a sentence."""
    if isinstance(t, ListType):
        return f"a list{' of lists' if isinstance(t.item, ListType) else ''}" if has_variable(t) else shown(t)
    if isinstance(t, MapType):
        return "a map" if has_variable(t) else shown(t)
    if isinstance(t, Variable):
        return "a number" if t.name == "N" else "a value"
    return shown(t)
