"""The table, JUnit and the page: complete, well-formed, and safe with whatever a device says of itself."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import msgspec

from drivers.simulated.tablelink_end import TableLinkEnd
from hil.conformance.html import page
from hil.conformance.junit import junit
from hil.conformance.rules import RULES
from hil.conformance.verdicts import Report, Result, Seen
from hil.conformance.words import Progress, summary
from tests.hil.conformance.broken import ALL
from tests.hil.conformance.rig import tried

EVIL = "<script>&\"'\x00\x1b\ud800"


def broken_report() -> Report:
    [broken] = [each for each in ALL if each.fails == {"TL-004", "TL-095"}]
    return tried(broken.end(), broken.role)


def strange_report() -> Report:
    report = tried(TableLinkEnd("sign"), "sign", only=("TL-050",))
    seen = Seen(1.0, "from device", b"\x00\xff", EVIL)
    result = Result(id="TL-050", outcome="fail", words=EVIL, evidence=(seen,))
    device = msgspec.structs.replace(report.device, serial=EVIL, port=EVIL)
    return msgspec.structs.replace(report, results=(result,), ended=EVIL, helper=EVIL, device=device)


def test_junit_has_a_case_for_each_id_with_its_result_and_the_bytes() -> None:
    report = broken_report()
    suite = ElementTree.fromstring(junit(report))
    cases = {case.get("name", "")[:6]: case for case in suite.iter("testcase")}
    assert set(cases) == set(RULES)
    assert {name for name, case in cases.items() if case.find("failure") is not None} == {"TL-004", "TL-095"}
    assert suite.get("failures") == "2"
    assert int(suite.get("skipped", "")) == len([case for case in cases.values() if case.find("skipped") is not None])
    failure = cases["TL-004"].find("failure")
    assert failure is not None
    assert "was answered with" in failure.get("message", "")
    assert "7e 01" in (failure.text or "")
    assert suite.find("properties/property[@name='serial']").get("value") == "SIM0001"  # type: ignore[union-attr]


class Page(HTMLParser):
    """What a reader sees, and every address that a browser would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_has_everything_in_itself() -> None:
    report = broken_report()
    seen = Page(page(report))
    assert seen.outside == []
    assert "script" not in seen.tags
    assert "url(" not in page(report)
    for rule in RULES.values():
        assert rule.id in seen.text
        assert rule.title in seen.text
    assert "DOES NOT CONFORM: TL-004, TL-095" in seen.text
    assert "SIM0001" in seen.text
    assert "Version" not in seen.text or "version 1" in seen.text
    assert re.search(r"[0-9a-f]{2} 7e 01", seen.text), "the bytes of what it should not have sent"
    assert "unknown id 7E, 1 bytes" in seen.text, "and what they mean"
    assert "A body has 1 to 64 bytes." in seen.text, "the rule as the protocol has it"


def test_a_device_that_says_strange_things_breaks_no_report() -> None:
    report = strange_report()
    assert "<script>" not in page(report).replace("&lt;script&gt;", "")
    assert "script" not in Page(page(report)).tags
    ElementTree.fromstring(junit(report))
    page(report).encode("utf-8", "replace")


def test_the_summary_says_what_failed_and_what_was_left_out() -> None:
    assert summary(broken_report()).splitlines()[-1] == "DOES NOT CONFORM: TL-004, TL-095"
    good = tried(TableLinkEnd("shoe"), "shoe")
    assert summary(good).splitlines()[-1] == "CONFORMS in what was tried"
    assert "serial SIM0001" in summary(good)


def test_progress_has_one_line_for_each_id_and_says_so_when_one_is_changed_later() -> None:
    told: list[Result] = []
    [broken] = [each for each in ALL if each.fails == {"TL-002"}]
    tried(broken.end(), broken.role, told=told)
    progress = Progress(len(RULES))
    lines = [progress.line(result).splitlines()[0] for result in told]
    assert [line for line in lines if line.startswith("  later")]
    assert len([line for line in lines if not line.startswith("  later")]) == len(RULES)
    assert lines[0].startswith("  1/55   TL-020  pass")


def test_evidence_of_a_pass_is_kept_short_and_is_json() -> None:
    report = tried(TableLinkEnd("shoe"), "shoe")
    assert max(len(result.evidence) for result in report.results) <= 41
    json.dumps(msgspec.to_builtins(report))
