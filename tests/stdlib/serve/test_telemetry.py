"""Spans of runs and calls, with the SDK's exporter in memory; and without the SDK."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from stdlib.runtime.fault import fault
from stdlib.runtime.load import load_plan
from stdlib.runtime.result import ToolAnswer
from stdlib.runtime.run import Caller, Result, run_chain
from stdlib.runtime.spans import NO_SPANS
from stdlib.runtime.store.memory import MemoryStore
from stdlib.runtime.world import Ambient
from stdlib.serve.telemetry import OtelSpans, spans_for
from tests.stdlib.runtime.plans import chain, const, plan, ref, step

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> OtelSpans:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return OtelSpans(provider.get_tracer("test"))


class Tools:
    async def call(self, source: str, key: str, arguments: dict[str, Any], timeout: float) -> ToolAnswer:
        if "fail" in arguments:
            raise fault("tool_error", "secret words of the tool")
        if "hang" in arguments:
            await anyio.sleep_forever()
        return ToolAnswer(structured=1)


async def run(spans: Any, *steps: Any) -> Result:
    return await run_chain(
        load_plan(plan(chain("pay", *steps, output=ref("b")))),
        "pay",
        {},
        tools=Tools(),
        store=MemoryStore(),
        caller=Caller(),
        ambient=Ambient(spans=spans),
    )


async def test_a_span_a_run_and_one_a_call(spans: OtelSpans, exporter: InMemorySpanExporter):
    result = await run(spans, step("a"), step("b", "a", tool="write"))
    assert result.fault is None
    *calls, whole = exporter.get_finished_spans()
    assert [each.name for each in calls] == ["call test.read", "call test.write"]
    assert whole.name == "run pay"
    assert whole.parent is None
    told = whole.attributes or {}
    assert (told["chainc.run"], told["chainc.chain"], told["chainc.outcome"]) == (result.run, "pay", "ok")
    assert (told["chainc.principal"], told["chainc.tenant"]) == ("local", "local")
    for span, receipt in zip(calls, result.receipts, strict=True):
        assert span.parent is not None
        assert span.parent.span_id == whole.context.span_id
        ids = span.attributes or {}
        assert ids["chainc.run"] == receipt.run
        assert ids["chainc.step"] == receipt.step
        assert ids["chainc.tool"] == receipt.tool
        assert ids["chainc.schema"] == receipt.schema
        assert ids["chainc.attempt"] == receipt.attempt
        assert receipt.trace == f"{whole.context.trace_id:032x}"
        assert receipt.to_json()["trace"] == receipt.trace


async def test_a_fault_is_told_by_its_class_alone(spans: OtelSpans, exporter: InMemorySpanExporter):
    result = await run(spans, step("b", arguments={"fail": const(True)}))
    assert result.fault is not None
    for span in exporter.get_finished_spans():
        assert span.status.status_code == StatusCode.ERROR
        assert (span.attributes or {})["chainc.fault"] == "tool_error"
        assert "secret" not in span.to_json()
    assert len(exporter.get_finished_spans()) == 2


async def test_a_run_that_is_given_up_ends_its_spans(spans: OtelSpans, exporter: InMemorySpanExporter):
    with anyio.move_on_after(0.2):
        await run(spans, step("b", arguments={"hang": const(True)}))
    assert sorted(each.name for each in exporter.get_finished_spans()) == ["call test.read", "run pay"]


async def test_without_spans_receipts_have_no_trace():
    result = await run(NO_SPANS, step("b"))
    assert [each.trace for each in result.receipts] == [None]
    assert "trace" not in result.receipts[0].to_json()


@pytest.mark.parametrize("environment", [{}, {"OTEL_TRACES_EXPORTER": "none"}, {"OTEL_TRACES_EXPORTER": "pigeon"}])
def test_nobody_looks_unless_told_to(environment: dict[str, str]):
    assert spans_for("acme", "1.0.0", environment) is NO_SPANS


def python(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120).stdout


def test_without_the_extra_nothing_is_imported():
    program = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.startswith("opentelemetry") else real(name, *rest)
from stdlib.runtime.spans import NO_SPANS
from stdlib.serve.telemetry import spans_for
assert spans_for("acme", "1", {"OTEL_TRACES_EXPORTER": "otlp"}) is NO_SPANS
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
    assert python(program).strip() == "[]"


def test_a_provider_that_is_there_already_is_used():
    program = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from stdlib.serve.telemetry import spans_for
trace.set_tracer_provider(TracerProvider())
with spans_for("acme", "1", {}).begin("a", n=1, none=None) as span:
    print(len(span.trace), trace.get_current_span().attributes)
"""
    assert python(program).strip() == "32 {'chainc.n': 1}"


def test_the_console_is_standard_error():
    program = """
from stdlib.serve.telemetry import spans_for
with spans_for("acme", "1", {"OTEL_TRACES_EXPORTER": "console"}).begin("a"):
    pass
"""
    assert python(program) == ""
