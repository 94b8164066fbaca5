"""Drawn programs as text of the language."""

from __future__ import annotations

from tests.dags.sketch import TOOLS, Chain, Condition, Let, Loop, Program, Require, Section, Step

INDENT = "  "
EMPTY = "{ value: -1, few: [] }"
"""What `use` gives."""


def text_of(program: Program) -> str:
    return 'import lab from mcp "lab"\n\n' + "\n".join(_Writer(program, chain).text() for chain in program.chains)


class _Writer:
    def __init__(self, program: Program, chain: Chain) -> None:
        self.program = program
        self.chain = chain
        self.root = chain.id == "root"
        self.lists = {each.name for each in chain.named() if isinstance(each, Step) and each.loop is not None}

    def text(self) -> str:
        lines = [f"{'' if self.root else 'private '}chain {self.chain.id} {{"]
        if self.chain.parallel is not None:
            lines.append(f"  budget (parallel: {self.chain.parallel})")
        lines += ["  input n: integer"] if self.root else ["  input tag: string", "  input given: list<json>"]
        for member in self.chain.members:
            lines += [INDENT + line for line in self.member(member)]
        if self.root:
            fields = ", ".join(f"{each.name}: {self.seen(each.name)}" for each in self.chain.named())
            lines.append(f"  output = {{ {fields} }}")
        else:
            lines.append(
                f"  output = {{ value: {self.number(self.chain.result)}, few: {self.few(self.chain.result)} }}"
            )
        return "\n".join([*lines, "}\n"])

    def member(self, member: Step | Let | Require | Section) -> list[str]:
        match member:
            case Step():
                return self.step(member)
            case Let(name=name, uses=uses):
                numbers = ", ".join(self.number(each) for each in uses)
                return [f"let {name} = {{ value: sum([{numbers}]) + 1, few: [{numbers}] }}"]
            case Require():
                about = " + ".join(self.number(each) for each in member.uses)
                about = about or ("n" if self.root else "count(given)")
                return [f'require {about} {">=" if member.holds else "<"} -1000 else "{member.name} does not hold."']
            case Section():
                lines = [f"section {member.name} {{"]
                if member.when is not None:
                    lines.append(f"  when {self.condition(member.when)}")
                if member.after:
                    lines.append(f"  after {', '.join(member.after)}")
                if member.any_order:
                    lines.append("  any_order")
                for each in member.members:
                    lines += [INDENT + line for line in self.member(each)]
                return [*lines, "}"]

    def step(self, step: Step, items: str = "") -> list[str]:
        """`items`: the variable of the loop around."""
        clauses = [] if step.when is None else [f"when {self.condition(step.when)}"]
        if step.after:
            clauses.append(f"after {', '.join(step.after)}")
        if step.retry:
            clauses.append(f"retry {step.retry} (wait: 10ms, safe: true)")
        if step.on_error != "fail":
            use = "use [] " if step.loop else f"use {EMPTY}"
            clauses.append(f"on error {'skip' if step.on_error == 'skip' else use}")
        loop, variable = step.loop, items
        head = f"step {step.name} = "
        if loop is not None:
            variable = f"{step.name}_item"
            over = str(list(range(loop.over))) if isinstance(loop.over, int) else self.few(loop.over)
            head += f"for each {variable} in {over} "
            clauses += self.bounds(loop)
        if loop is not None and loop.body:
            lines = [*clauses]
            for inner in loop.body:
                lines += self.step(inner, variable)
            lines.append(f"return {{ value: {self.number(loop.result)}, few: {self.few(loop.result)} }}")
            return [f"{head}{{", *(INDENT + line for line in lines), "}"]
        if step.undo:
            own = ", ".join([variable] * bool(variable) + [f"{step.name}.value"])
            clauses.append(f"undo lab.take_back(tag: {self.tag(step)}, of: [{own}])")
        what = f"lab.{step.does}" if step.does in TOOLS else step.does
        values = "given" if what == step.does else "of"
        of = [variable] * bool(variable) + ["given"] * (not self.root) + [self.seen(each) for each in step.uses]
        call = f"{'do ' if loop else ''}{what}(tag: {self.tag(step)}, {values}: [{', '.join(of)}])"
        return [f"{head}{call} {{", *(INDENT + clause for clause in clauses), "}"]

    @staticmethod
    def bounds(loop: Loop) -> list[str]:
        lines = [] if loop.parallel is None else [f"parallel {loop.parallel}"]
        if loop.on_item != "fail":
            lines.append(f"on item_error {'skip' if loop.on_item == 'skip' else f'use {EMPTY}'}")
        return lines

    def tag(self, step: Step) -> str:
        return f'"{step.name}"' if self.root else f'"${{tag}}.{step.name}"'

    def seen(self, name: str) -> str:
        """The value of a record, null where there is none; the sum of a loop."""
        return self.number(name) if name in self.lists else f"{name}?.value"

    def number(self, name: str) -> str:
        return f"sum([e.value for e in {name} ?? []])" if name in self.lists else f"({name}?.value ?? 1)"

    def few(self, name: str) -> str:
        return f"[{self.number(name)}]" if name in self.lists else f"({name}?.few ?? [])"

    def condition(self, when: Condition) -> str:
        return f"{self.number(when.name)} % 2 == 0" if when.kind == "even" else f"{when.kind}({when.name})"
