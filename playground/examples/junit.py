"""Results of example checks as JUnit XML, for continuous integration.

Source: the JUnit XML format as documented by Jenkins and GitLab.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from playground.examples.results import ExampleResult
from playground.models import ExampleCheck

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(checked: Sequence[tuple[ExampleCheck, Sequence[ExampleResult]]]) -> str:
    """One suite per tool, one case per example."""
    root = ET.Element("testsuites")
    for check, results in checked:
        failures = sum(not result.passed for result in results)
        name = _text(check.tool.tool_id)
        suite = ET.SubElement(root, "testsuite", name=name, tests=str(len(results)), failures=str(failures))
        for result in results:
            duration_ms = (result.run.duration_ms if result.run else None) or 0
            case = ET.SubElement(
                suite,
                "testcase",
                classname=name,
                name=_text(f"{result.number}. {result.description}"),
                time=f"{duration_ms / 1000:.3f}",
            )
            if not result.passed:
                failure = ET.SubElement(case, "failure", message=_text(result.message))
                failure.text = _text("\n".join(str(difference) for difference in result.differences))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
