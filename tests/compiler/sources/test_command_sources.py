"""Commands from the declaration to the result."""

import io
import json
import os
from pathlib import Path

import pytest

from compiler import driver
from compiler.cli import main
from compiler.cli.exits import FINDINGS
from compiler.emit.programs import tell_files_left_behind
from dsl.diagnostics import Sink
from stdlib.plan.plan import Command

from .projects import called, checked, compiled, project, served

CHAIN = r"""
import git from command "git" {
  /// The last commits.
  tool log takes {
    folder: string,
    count: integer(min: 1) = 10,
    paths: list<string>?,
  } returns list<{ hash: string, title: string }> {
    effects read_only, idempotent
    run ["-C", "./${folder}", "log", "-n${count}", "--format=%H %s", "--", ...(paths ?? [])]
    parse match "(?m)^(?P<hash>[0-9a-f]{40}) (?P<title>.*)$"
  }
}
import sorting from command "sort" {
  tool lines takes { lines: list<string> } returns list<string> {
    effects read_only, idempotent
    run []
    stdin join(lines, "\n")
    parse lines
  }
  tool table takes { rows: list<{ a: integer }> } returns list<{ a: integer }> {
    effects read_only
    run ["-r"]
    stdin join([to_json(r) for r in rows], "\n")
    parse jsonl
  }
}
chain titles {
  input folder: string
  step log = git.log(folder: folder, count: 2)
  step sorted = sorting.lines(lines: [c.title for c in log])
  output = sorted
}
chain numbers {
  step rows = sorting.table(rows: [{ a: 1 }, { a: 2 }])
  output = rows
}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = project(tmp_path / "p", {"chains/a.chain": CHAIN})
    folder = root / "repository"
    folder.mkdir()
    identity = "-c user.name=Ada -c user.email=ada@localhost -c commit.gpgsign=false"
    for words in ("init -q", "commit -q --allow-empty -m second", "commit -q --allow-empty -m first"):
        assert os.system(f"git -C {folder} {identity} {words}") == 0
    return root


def test_a_declaration_is_all_that_is_needed(repository):
    assert checked(repository) == []
    plan = compiled(repository)
    assert list(plan.sources) == ["command:git", "command:sort"]
    git = plan.sources["command:git"]
    assert isinstance(git.transport, Command)
    assert (git.kind, git.transport.program) == ("command", "git")
    assert git.tools["log"].effects.read_only
    assert git.tools["log"].parse is not None
    assert called(repository, "titles", folder="repository").value == ["first", "second"]
    assert called(repository, "numbers").value == [{"a": 2}, {"a": 1}]
    fault = called(repository, "titles", folder="nowhere").fault
    assert fault is not None
    assert fault.fault_class == "tool_error"
    assert fault.message.startswith("`git.log` ended with exit code 128: fatal: cannot change to './nowhere'")


def test_a_generated_server_runs_the_program(repository):
    answers = served(repository, {"titles": {"folder": "repository"}, "numbers": {}}, repository)
    assert answers == {"titles": {"result": ["first", "second"]}, "numbers": {"result": [{"a": 2}, {"a": 1}]}}


def test_effects_are_the_worst_unless_they_are_declared(tmp_path):
    chain = 'import x from command "true" { tool t { run [] } }\nchain one { step a = x.t() output = a }\n'
    plan = compiled(project(tmp_path, {"chains/a.chain": chain}))
    effects = plan.sources["command:true"].tools["t"].effects
    assert (effects.read_only, effects.idempotent, effects.destructive, effects.open_world) == (
        False,
        False,
        True,
        True,
    )
    assert called(tmp_path, "one").value == ""


def test_two_files_may_declare_one_tool_in_two_ways(tmp_path):
    def chain(name: str, word: str) -> str:
        return (
            f'import x from command "echo" {{ tool t {{ effects read_only run ["{word}"] }} }}\n'
            f"chain {name} {{ step a = x.t() output = a }}\n"
        )

    project(tmp_path, {"chains/a.chain": chain("one", "1"), "chains/b.chain": chain("two", "2")})
    assert list(compiled(tmp_path).sources["command:echo"].tools) == ["t", "t#2"]
    assert (called(tmp_path, "one").value, called(tmp_path, "two").value) == ("1\n", "2\n")


def test_a_command_of_the_manifest_has_a_folder_and_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("MEANT", "yes")
    chain = (
        'import x from command "shell" { tool t { effects read_only run ["-c", "pwd; echo $MEANT"] } }\n'
        "chain one { step a = x.t() output = a }\n"
    )
    manifest = '[sources.shell]\ncommand = { program = "sh", env = ["MEANT"], cwd = "inside" }\n'
    project(tmp_path, {"chains/a.chain": chain, "inside/x": ""}, manifest)
    assert called(tmp_path, "one").value == f"{tmp_path}/inside\nyes\n"


def test_a_folder_that_has_become_a_link_is_not_followed(tmp_path):
    """Neither by `chainc run` nor by a server, which has its own folder; a folder that is allowed is one for both."""
    chain = "".join(
        f'import {each} from command "{each}" {{ tool t {{ effects read_only run ["-c", "pwd"] }} }}\n'
        f"chain in_{each} {{ step a = {each}.t() output = a }}\n"
        for each in ("ours", "lent", "later")
    )
    lent = tmp_path / "lent"
    manifest = f'[allow]\nroots = ["{lent}"]\n' + "".join(
        f'[sources.{each}]\ncommand = {{ program = "sh", cwd = "{cwd}" }}\n'
        for each, cwd in {"ours": "inside", "lent": lent, "later": "inside/later"}.items()
    )
    root = project(tmp_path / "p", {"chains/a.chain": chain, "inside/x": ""}, manifest)
    (root / "inside/later").mkdir()
    lent.mkdir()
    assert called(root, "in_later").value == f"{root}/inside/later\n"
    sink = Sink()
    tell_files_left_behind(compiled(root), root, sink)
    assert [(each.code, each.message.partition(".")[0]) for each in sink] == [
        ("W0234", "`later` starts in `inside/later`"),
        ("W0234", "`ours` starts in `inside`"),
    ]
    there = tmp_path / "there"
    (there / "inside").mkdir(parents=True)
    (there / "inside/later").symlink_to(root)
    answers = served(root, {"in_ours": {}, "in_lent": {}, "in_later": {}}, there)
    assert [answers["in_ours"]["result"], answers["in_lent"]["result"]] == [f"{there}/inside\n", f"{lent}\n"]
    assert "`inside/later`, which lies in no allowed folder" in str(answers["in_later"])
    (root / "inside/later").rmdir()
    (root / "inside/later").symlink_to("../..")
    assert [code for code, _ in checked(root)] == ["E0235"]


def test_a_source_of_another_kind_with_its_name_is_not_in_the_way(tmp_path):
    chain = 'import x from command "echo" { tool t { run ["-n", "1"] } }\nchain one { step a = x.t() output = a }\n'
    project(tmp_path, {"chains/a.chain": chain}, '[sources.echo]\nmcp = { command = "mcp-server-echo" }\n')
    assert called(tmp_path, "one").value == "1"


def test_a_program_of_the_project(tmp_path):
    chain = 'import x from command "../tools/greet" { tool t { run [] } }\nchain one { step a = x.t() output = a }\n'
    project(tmp_path, {"chains/a.chain": chain, "tools/greet": "#!/bin/sh\necho hello\n"})
    (tmp_path / "tools/greet").chmod(0o755)
    assert list(compiled(tmp_path).sources) == ["command:tools/greet"]
    assert called(tmp_path, "one").value == "hello\n"


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("/bin/sh", "E0217"),
        ("../../outside", "E0217"),
        ("a\\u{202e}b", "E0217"),
        ("", "E0217"),
        ("sleep 3", "E0217"),
        ("./missing.sh", "E0216"),
    ],
)
def test_programs_that_an_import_cannot_name(tmp_path, where, code):
    project(tmp_path, {"chains/a.chain": f'import x from command "{where}" {{ tool t {{ run [] }} }}\n'})
    assert [each for each, _ in checked(tmp_path)] == [code]


def test_a_name_with_blanks_is_quoted_where_it_is_shown(tmp_path):
    chain = 'import x from command "./my size.sh" { tool t { run [] } }\nchain one { step a = x.t() output = a }\n'
    project(tmp_path, {"chains/a.chain": chain, "chains/my size.sh": ""})
    sink = Sink()
    tell_files_left_behind(compiled(tmp_path), tmp_path, sink)
    assert ["`--source 'command:chains/my size.sh=COMMAND'`" in each.helps[0] for each in sink] == [True]


def test_what_goes_wrong_with_a_name_is_told(tmp_path):
    chains = """import a from command "sleep 3 4" { tool t { run [] } }
    import b from command "./sizes.sh" { tool t { run [] } }
    import c from command "./my size.sh" { tool t { run [] } }
    """
    project(tmp_path, {"chains/a.chain": chains, "chains/size.sh": "", "chains/my size.sh": ""})
    sink = Sink()
    driver.check(tmp_path, sink)
    assert [(each.message, *each.helps) for each in sink] == [
        (
            "`sleep 3 4` is no name of a program: it has blanks.",
            'Name the program alone, `from command "sleep"`; what it gets goes into `run ["3", "4"]`.',
        ),
        ("There is no file `chains/sizes.sh`.", "Did you mean `chains/size.sh`?"),
    ]


def test_nothing_runs_that_was_not_agreed_to(tmp_path, monkeypatch, capsys):
    ran = tmp_path / "ran"
    chain = (
        f'import x from command "touch" {{ tool t {{ run ["{ran}"] }} }}\nchain one {{ step a = x.t() output = a }}\n'
    )
    project(tmp_path / "p", {"chains/a.chain": chain})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path / "p")
    assert main(["run", "one"]) == FINDINGS
    assert (
        f"The source `command:touch` starts this program on your machine:\n  touch {ran}\n" in capsys.readouterr().err
    )
    assert not ran.exists()
    assert main(["run", "one", "--trust"]) == 0
    assert json.loads(capsys.readouterr().out) == ""
    assert ran.exists()


def test_agreement_is_to_each_way_of_starting_a_program(tmp_path, monkeypatch, capsys):
    """Other words than those that were seen are asked about; what only stands elsewhere, or is left out, is not."""
    root = project(tmp_path / "p", {"chains/a.chain": ""})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(root)

    def asked(answer: str, *runs: str) -> list[str]:
        """What is shown where the tools of a program have these clauses."""
        tools = "".join(f"tool t{n} takes {{ q: string }} {{ {run} }}\n" for n, run in enumerate(runs))
        steps = "".join(f'step s{n} = x.t{n}(q: "z")\n' for n in range(len(runs)))
        chain = f'import x from command "echo" {{\n{tools}}}\nchain one {{\n{steps}output = s0\n}}\n'
        (root / "chains/a.chain").write_text(chain)
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        assert main(["run", "one"]) == (FINDINGS if answer == "n\n" else 0)
        err = capsys.readouterr().err
        return [line.strip() for line in err.splitlines() if line.startswith("  echo")]

    version = 'run ["-V"]'
    script = 'run ["-c", "open(\\"x\\u{202e}\\", \'w\')"]'
    assert asked("y\n", version) == ["echo -V"]
    assert asked("n\n", script) == ["echo -c 'open(\"x\\u{202e}\", '\"'\"'w'\"'\"')'"]
    assert asked("n\n", 'run ["-V"] stdin "script"') == ["echo -V <<< script"]
    assert asked("n\n", 'run ["-V"] stdin q') == ["echo -V <<< {q}"]
    some = 'run ["-n${q}{", "a ${q}", ...(if q == "" then ["-x"] else [])]'
    assert asked("y\n", f"effects read_only {version}", some) == ["echo '-n{q}{{' 'a {q}' {q '' -x}…"]
    assert asked("", some, version) == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_choice_that_the_author_wrote_may_begin_with_a_dash(tmp_path: Path):
    chain = """
    import sorting from command "sort" {
      tool lines takes {
        order: "--reverse" | "--unique",
        way: "" | "--field-separator=",
        sign: "," | ";",
        lines: list<string>,
      } returns list<string> {
        effects read_only
        run [order, ...(if way == "" then [] else ["${way}${sign}"]), "--key=1"]
        stdin join(lines, "\\n")
        parse lines
      }
    }
    chain sorted {
      input order: "--reverse" | "--unique"
      step found = sorting.lines(order: order, way: "--field-separator=", sign: ",", lines: ["a", "b", "a"])
      output = found
    }
    """
    root = project(tmp_path, {"chains/a.chain": chain})
    assert checked(root) == []
    assert called(root, "sorted", order="--reverse").value == ["b", "a", "a"]
    assert called(root, "sorted", order="--unique").value == ["a", "b"]
