"""Options and fixtures that all tests share."""

import os
import tempfile
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests import golden

# Machines differ in speed, so no example has a deadline; under CI the examples are the same in every run.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite the .out files of the golden tests")


def pytest_configure(config: pytest.Config) -> None:
    # What servers keep for the user who starts them is kept for the tests alone.
    state = tempfile.TemporaryDirectory(prefix="chainc-tests-")
    config.add_cleanup(state.cleanup)
    os.environ["XDG_STATE_HOME"] = state.name
    if config.getoption("--bless") and golden.bless_is_refused(os.environ):
        raise pytest.UsageError("--bless is refused under CI: bless at your desk and commit what you have looked at.")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test logged goes from process to process as UTF-8, which has no half of a character."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    """True when the expected output is to be rewritten instead of compared."""
    return bool(request.config.getoption("--bless"))
