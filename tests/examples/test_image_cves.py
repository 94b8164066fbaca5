"""`image_cves`: what is in an image and what is wrong with it, from two services; what is not known is told."""

from typing import Any

import anyio

from stdlib.runtime.run import Result
from tests.examples.projects import called


def checked(image: str) -> Result:
    return anyio.run(called, "image_cves", "image_cves", {"image": image})


def record(image: str) -> dict[str, Any]:
    result = checked(image)
    assert result.fault is None, result.fault
    assert result.wire is not None
    return result.wire


def package(name: str, version: str, ecosystem: str = "deb") -> dict[str, str]:
    return {"ecosystem": ecosystem, "name": name, "version": version}


def test_the_worst_package_comes_first_and_each_once():
    result = checked("shop/api:1.4.0")
    assert result.wire == {
        "verdict": "vulnerable",
        "digest": f"sha256:{5:064x}",
        "checked": 4,
        "by_severity": {"critical": 1, "high": 1, "low": 1},
        "vulnerable": [
            {
                "package": package("rapidyaml", "5.3", "pypi"),
                "severity": "critical",
                "score": 9.8,
                "advisories": ["ADV-2020-0015", "ADV-2020-0014"],
                "fixed_in": ["5.4"],
            },
            {
                "package": package("zlib", "1.2.11"),
                "severity": "high",
                "score": 8.1,
                "advisories": ["ADV-2022-0037"],
                "fixed_in": ["1.2.12"],
            },
            {
                "package": package("tar", "1.34"),
                "severity": "low",
                "score": 3.7,
                "advisories": ["ADV-2022-0048"],
                "fixed_in": [],
            },
        ],
        "unknown": [],
    }
    assert result.summary == "3 of 4 packages are vulnerable, the worst critical; 0 could not be checked."


def test_an_image_is_clean_where_every_package_was_checked():
    found = record("shop/api:1.5.0")
    assert (found["verdict"], found["checked"], found["vulnerable"], found["unknown"]) == ("clean", 3, [], [])


def test_a_busy_service_is_asked_again_and_what_it_cannot_say_is_unknown():
    """Down, or answering with something else than its document says: neither is "no advisory"."""
    found = record("shop/jobs:2.0.0")
    assert [each["package"]["name"] for each in found["vulnerable"]] == ["libbusy", "tar"]
    assert found["unknown"] == [package("libdark", "1.0"), package("libodd", "3.0")]
    assert (found["verdict"], found["checked"]) == ("vulnerable", 2)


def test_nothing_found_in_what_could_be_checked_is_not_clean():
    found = record("shop/web:0.9.0")
    assert (found["verdict"], found["vulnerable"], found["by_severity"]) == ("unknown", [], {})


def test_images_that_nobody_knows_anything_of():
    for image, fault_class, message in (
        ("shop/scratch:1", "precondition", "The registry does not know what is installed in shop/scratch:1."),
        ("shop/none:1", "tool_error", "There is no such image."),
        ("shop", "invalid_input", "image"),
    ):
        fault = checked(image).fault
        assert fault is not None
        assert fault.fault_class == fault_class
        assert message in fault.message
