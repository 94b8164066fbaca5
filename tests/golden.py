"""Golden tests: an input file beside the output that we expect of it.

One folder per stage, `tests/golden/STAGE`. An input `X.SUFFIX` has its expected output in `X.out`; adding a test is
adding the input and running `pytest --bless`. Blessing rewrites outputs and nothing else. Subfolders hold what inputs
refer to (files that they import, lock folders) and are no cases themselves.

Programs in `bad` also carry marks, which no run rewrites: `//~ E0401` says that this line is reported with this code,
`//~^ E0401` that the line above is (one `^` per line). Several codes stand side by side: `//~ E0401 E0402`.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"
STAGES = ("parse", "fmt", "good", "bad", "six", "plan", "emit", "cli")
SAMPLES = ("sources",)
"""Folders beside the stages: what golden programs import."""

_MARK = re.compile(r"//~(?P<up>\^*)(?P<codes>.*)")
_CODE = re.compile(r"[EWCF]\d{4}")


def bless_is_refused(environ: Mapping[str, str]) -> bool:
    """Whether this environment may not rewrite expected output: any CI."""
    return bool(environ.get("CI"))


def cases(folder: Path, suffix: str) -> list[Path]:
    """The inputs of a golden folder, by name: files that end in `suffix`. A missing folder has none."""
    return sorted(path for path in folder.glob(f"*{suffix}") if path.is_file() and path.name != suffix)


def output_of(case: Path, suffix: str) -> Path:
    """Where the expected output of an input is: the same name with `.out` for `suffix`."""
    return case.with_name(case.name.removesuffix(suffix) + ".out")


def assert_no_orphans(folder: Path, suffix: str, *, beside: Iterable[str] = (), bless: bool = False) -> None:
    """Fail unless every input has an output, every output an input, and nothing else lies in the folder.

    `beside` lists the suffixes of further files that a case may have (`X.args.json` beside `X.chain`). With `bless` an
    input may lack its output, because the run is about to write it. Dot files are left out.
    """
    inputs = {case.name.removesuffix(suffix) for case in cases(folder, suffix)}
    complaints = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.is_dir() or path.name.startswith("."):
            continue
        ending = next((end for end in (suffix, ".out", *beside) if path.name.endswith(end)), None)
        if ending is None:
            complaints.append(f"{path.name}: no test reads this file")
        elif path.name.removesuffix(ending) not in inputs:
            complaints.append(f"{path.name}: its input {path.name.removesuffix(ending)}{suffix} is missing")
    if not bless:
        missing = [name for name in sorted(inputs) if not (folder / f"{name}.out").is_file()]
        complaints += [f"{name}{suffix}: its output {name}.out is missing; run pytest --bless" for name in missing]
    assert not complaints, f"orphans in {folder.name}:\n  " + "\n  ".join(complaints)


def check_output(path_out: Path, actual: str, bless: bool) -> None:
    """Compare `actual` with the expected output, or with `bless` make it the expected one. A final newline is added."""
    assert path_out.suffix == ".out", f"only .out files hold expected output, not {path_out.name}"
    if not actual.endswith("\n"):
        actual += "\n"
    if bless:
        if not path_out.is_file() or path_out.read_bytes() != actual.encode():
            path_out.write_bytes(actual.encode())
        return
    assert path_out.is_file(), f"{path_out.name} is missing; run pytest --bless and look at what it writes"
    expected = path_out.read_bytes().decode()
    if actual != expected:
        lines = difflib.unified_diff(
            expected.splitlines(keepends=True), actual.splitlines(keepends=True), f"{path_out.name} expected", "actual"
        )
        raise AssertionError("output differs (pytest --bless accepts it):\n" + "".join(lines))


def joined(files: Mapping[str, str]) -> str:
    """Several files as one text to compare, in the order of their paths, each below a line with its path."""
    parts = []
    for path in sorted(files):
        text = files[path]
        parts.append(f"==> {path} <==\n{text}" + ("" if text.endswith("\n") or not text else "\n"))
    return "\n".join(parts)


def parse_marks(text: str) -> list[tuple[int, str]]:
    """The (line, code) pairs that a program's marks announce, sorted; lines count from 1.

    Raises ValueError for a mark without a proper code and for one that points above the first line.
    """
    marks = []
    for number, line in enumerate(text.splitlines(), start=1):
        found = _MARK.search(line)
        if found is None:
            continue
        codes = found["codes"].split()
        target = number - len(found["up"])
        if not codes or not all(_CODE.fullmatch(code) for code in codes):
            raise ValueError(f"line {number}: a mark needs codes, as in `//~ E0401`, not `{found[0].strip()}`")
        if target < 1:
            raise ValueError(f"line {number}: the mark points above the first line")
        marks += [(target, code) for code in codes]
    return sorted(marks)


def check_marks(text: str, reported: Iterable[tuple[int, str]]) -> None:
    """Fail unless the set of reported (line, code) pairs is exactly what the marks announce."""
    marked, found = set(parse_marks(text)), set(reported)
    complaints = [f"line {line}: {code} is marked but was not reported" for line, code in sorted(marked - found)]
    complaints += [f"line {line}: {code} was reported but is not marked" for line, code in sorted(found - marked)]
    assert not complaints, "marks and reports differ:\n  " + "\n  ".join(complaints)
