"""Spans for OpenTelemetry, where its SDK is installed (the extra `otel`) and somebody wants them: a provider was set up
around us, or the environment says where spans go (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER …)."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from ..runtime.fault import Fault
from ..runtime.spans import NO_SPANS, Span, Spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span as OtelSpan
    from opentelemetry.trace import Tracer

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
EXPORTER: Final = "OTEL_TRACES_EXPORTER"

log = logging.getLogger("chainc.serve")


def spans_for(service: str, version: str, environment: Mapping[str, str] = os.environ) -> Spans:
    """`service` and `version` name the server. Without the SDK nothing of OpenTelemetry is imported here."""
    if not _is_installed():
        if _wanted(environment) is not None:
            log.warning("spans are wanted, but the extra is not installed: pip install 'chainc[otel]'")
        return NO_SPANS
    from opentelemetry import trace

    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        exporter = _exporter(environment)
        if exporter is None:
            return NO_SPANS
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        name = environment.get("OTEL_SERVICE_NAME") or service
        own = TracerProvider(resource=Resource.create({"service.name": name, "service.version": version}))
        own.add_span_processor(BatchSpanProcessor(exporter))
        trace.set_tracer_provider(own)
        provider = own
    return OtelSpans(provider.get_tracer("chainc"))


class OtelSpans:
    """Ids become attributes `chainc.NAME`."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def begin(self, name: str, **ids: str | int | None) -> Iterator[Span]:
        attributes = {f"chainc.{key}": value for key, value in ids.items() if value is not None}
        # What goes wrong is told by its fault; an exception would bring values of the run.
        with self._tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            yield _Span(span)


class _Span:
    def __init__(self, span: OtelSpan) -> None:
        self._span = span
        context = span.get_span_context()
        self.trace: str | None = f"{context.trace_id:032x}" if context.is_valid else None

    def end_with(self, fault: Fault | None) -> None:
        self._span.set_attribute("chainc.outcome", "ok" if fault is None else "fault")
        if fault is None:
            return
        from opentelemetry.trace import StatusCode

        self._span.set_attribute("chainc.fault", fault.fault_class)
        self._span.set_attribute("error.type", fault.fault_class)
        self._span.set_status(StatusCode.ERROR)


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.sdk") is not None
    except ModuleNotFoundError:
        return False


def _wanted(environment: Mapping[str, str]) -> str | None:
    """The exporter that the environment asks for."""
    named = environment.get(EXPORTER, "").strip().lower()
    if named:
        return None if named == "none" else named
    return "otlp" if any(environment.get(each) for each in ENDPOINTS) else None


def _exporter(environment: Mapping[str, str]) -> SpanExporter | None:
    wanted = _wanted(environment)
    if wanted == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)  # standard output is the protocol's
    if wanted == "otlp":
        return _otlp()
    if wanted is not None:
        log.warning("spans go nowhere: %s=%s is not known here, but otlp, console and none are", EXPORTER, wanted)
    return None


def _otlp() -> SpanExporter | None:
    try:
        exporter: Any = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    except ImportError:
        log.warning("spans go nowhere: opentelemetry-exporter-otlp-proto-http is not installed")
        return None
    made: SpanExporter = exporter.OTLPSpanExporter()
    return made
