"""A run as JUnit XML, for a build server: a test case each id; what is not tried or not applicable is skipped."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree

from hil.conformance.rules import RULES
from hil.conformance.verdicts import Report, Result, Seen

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    skipped = len(report.of("not tried")) + len(report.of("not applicable"))
    suite = ElementTree.Element(
        "testsuite",
        name=f"TableLink {report.device.role}",
        tests=str(len(report.results)),
        failures=str(len(report.of("fail"))),
        errors="1" if report.ended else "0",
        skipped=str(skipped),
        time=f"{report.seconds:.3f}",
        timestamp=report.began,
    )
    properties = ElementTree.SubElement(suite, "properties")
    device = report.device
    for name, value in (
        ("port", device.port),
        ("serial", device.serial),
        ("firmware", device.firmware),
        ("protocol", str(device.version)),
        ("boot", f"{device.boot:08X}"),
        ("capabilities", " ".join(device.capabilities)),
        ("kit", report.kit),
        ("helper", report.helper),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=_xml(value))
    for result in report.results:
        _case(suite, report.device.role, result)
    if report.ended:
        ElementTree.SubElement(suite, "system-err").text = _xml(report.ended)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, role: str, result: Result) -> None:
    rule = RULES[result.id]
    case = ElementTree.SubElement(
        suite, "testcase", classname=f"tablelink.{role}.{rule.group}", name=f"{rule.id} {rule.title}"
    )
    case.set("time", f"{result.seconds:.3f}")
    if result.outcome == "fail":
        failure = ElementTree.SubElement(case, "failure", message=_xml(result.words))
        failure.text = _xml("\n".join(evidence_line(seen) for seen in result.evidence))
    elif result.outcome != "pass":
        ElementTree.SubElement(case, "skipped", message=_xml(f"{result.outcome}: {result.words}"))
    elif result.words:
        ElementTree.SubElement(case, "system-out").text = _xml(result.words)


def evidence_line(seen: Seen) -> str:
    return f"{seen.at:9.3f} s  {seen.way:11}  {seen.data.hex(' ')}  {seen.words}"


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)
