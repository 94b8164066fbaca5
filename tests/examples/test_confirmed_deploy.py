"""`confirmed_deploy`: first whether, then where; whatever is not a clear answer leaves everything as it was."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp_types import ElicitRequestFormParams, ElicitResult

from stdlib.runtime.question import Answer, Answered, Approved, Expired, Question, Refused
from stdlib.runtime.run import Result
from tests.examples.built import Built, build, over_stdio
from tests.examples.conftest import Changes
from tests.examples.projects import opened

BILLING = {
    "version": "4.2.0",
    "changes": [
        {"title": "Round the tax of each line, not of the sum", "author": "ada"},
        {"title": "Drop the column invoices.legacy_id", "author": "bob"},
    ],
}


@dataclass
class User:
    """Says whether, and where to."""

    whether: Answer
    where: Answer
    questions: list[Question] = field(default_factory=list)

    async def approve(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.whether

    async def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        return self.where


def agrees(environment: str) -> User:
    return User(Approved("mia"), Answered({"environment": environment}))


Deploy = Callable[[str, User | None], Result]


@pytest.fixture(scope="module")
def deploy(journal: Path) -> Iterator[Deploy]:
    """One server for all tests here: each deploys to a place of its own."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(opened("confirmed_deploy")) as example:

        def call(service: str, user: User | None) -> Result:
            result: Result = portal.call(example.call, "confirmed_deploy", {"service": service}, user)
            return result

        yield call


def deployed(changes: Changes) -> list[tuple[str, str, str]]:
    return [(each["service"], each["version"], each["environment"]) for each in changes("releases.")]


def test_the_user_sees_what_it_is_agrees_and_says_where(deploy: Deploy, changes: Changes):
    user = agrees("production")
    result = deploy("billing", user)
    assert result.wire is not None
    assert result.wire | {"deploy": ""} == {
        "deploy": "",
        "version": "4.2.0",
        "environment": "production",
        "instead_of": "1.0.0",
        "approved_by": "mia",
    }
    assert deployed(changes) == [("billing", "4.2.0", "production")]
    whether, where = user.questions
    assert (whether.text, whether.show) == ("Deploy billing 4.2.0?", BILLING)
    assert where.text == "Where is billing 4.2.0 deployed?"
    assert where.form["properties"]["environment"]["enum"] == ["staging", "production"]


@pytest.mark.parametrize(
    ("user", "asked", "fault_class", "message"),
    [
        (User(Refused(), Refused()), 1, "denied", "It was not approved: nothing was deployed."),
        (User(Expired(), Refused()), 1, "timeout", "Nobody approved it within an hour: nothing was deployed."),
        (User(Approved("mia"), Refused()), 2, "denied", "No environment was chosen: nothing was deployed."),
        (
            User(Approved("mia"), Expired()),
            2,
            "timeout",
            "Nobody chose an environment within an hour: nothing was deployed.",
        ),
    ],
)
def test_anything_but_a_clear_answer_leaves_all_as_it_was(
    deploy: Deploy, changes: Changes, user: User, asked: int, fault_class: str, message: str
):
    result = deploy("billing", user)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.message) == (fault_class, message)
    assert len(user.questions) == asked
    assert changes("") == []


def test_an_environment_that_there_is_not(deploy: Deploy, changes: Changes):
    result = deploy("billing", agrees("moon"))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("invalid_input", "target")
    assert changes("") == []


def test_without_a_release_nobody_is_asked(deploy: Deploy):
    user = agrees("staging")
    result = deploy("search", user)
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.message) == ("precondition", "No release of search is ready.")
    assert user.questions == []


def test_what_runs_there_is_not_deployed_again(deploy: Deploy, changes: Changes):
    assert deploy("billing", agrees("staging")).fault is None
    again = deploy("billing", agrees("staging"))
    assert again.fault is not None
    assert again.fault.message == "billing 4.2.0 runs in staging already."
    assert len(deployed(changes)) == 1


def test_a_release_that_does_not_come_up_is_taken_back(deploy: Deploy, changes: Changes):
    result = deploy("mailer", agrees("staging"))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.undone) == ("not_verified", ("deployed",))
    assert deployed(changes) == [("mailer", "1.1.0", "staging"), ("mailer", "1.0.0", "staging")]


def test_a_deploy_that_is_refused(deploy: Deploy, changes: Changes):
    result = deploy("ledger", agrees("production"))
    assert result.fault is not None
    assert (result.fault.fault_class, result.fault.step) == ("tool_error", "deployed")
    assert "frozen until the books are closed" in result.fault.message
    assert changes("") == []


# ------------------------------------------------------------------ the generated server


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, services: str) -> Built:
    return build("confirmed_deploy", tmp_path_factory.mktemp("deploy") / "dist", services)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_user_of_a_client_gets_one_form_after_the_other(built: Built, era: str):
    forms: list[ElicitRequestFormParams] = []

    async def fill_in(context: Any, form: ElicitRequestFormParams) -> ElicitResult:
        forms.append(form)
        whether = "approve" in form.requested_schema["properties"]
        return ElicitResult(action="accept", content={"approve": True} if whether else {"environment": "staging"})

    async def test() -> None:
        async with over_stdio(built, era, fill_in) as client:
            result = await client.call_tool("confirmed_deploy", {"service": "billing"})
        assert not result.is_error, result.content
        assert result.structured_content is not None
        assert result.structured_content["environment"] == "staging"

    anyio.run(test)
    question, _, shown = forms[0].message.partition("\n\n")
    assert question == "Deploy billing 4.2.0?"
    assert json.loads(shown) == BILLING
    assert [form.message for form in forms[1:]] == ["Where is billing 4.2.0 deployed?"]
