"""https: the connection goes to a checked address, the certificate must prove the name."""

from __future__ import annotations

from pathlib import Path

import pytest
from anyio.abc import ByteStream

from stdlib.connect.openapi import OpenApiTools
from stdlib.plan.openapi import Network, OpenApi, Operation, Response
from stdlib.runtime.fault import RunFault
from tests.servers.certificate import certificate
from tests.servers.loopback import spoken

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def answer(stream: ByteStream, _: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\nConnection: close\r\n\r\n"
    await stream.send(head + b"1")


async def resolve(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.mark.parametrize(("host", "trusted"), [("api.example", True), ("other.example", True), ("api.example", False)])
async def test_certificates(host: str, trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file, tls = certificate(tmp_path, "api.example")
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
    else:
        monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    operation = Operation(method="GET", path="/x", responses=(Response(status="200", body="json"),))
    async with spoken(answer, tls) as port:
        source = OpenApi(base_url=f"https://{host}:{port}", operations={"get": operation})
        async with OpenApiTools({"api": source}, Network(private_networks=True), resolve=resolve) as tools:
            if trusted and host == "api.example":
                assert (await tools.call("api", "get", {}, 5)).structured == 1
                return
            with pytest.raises(RunFault) as found:
                await tools.call("api", "get", {}, 5)
    assert (found.value.fault.fault_class, found.value.fault.sent) == ("unavailable", False)
    assert "certificate" in found.value.fault.message.lower()
