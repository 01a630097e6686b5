"""A run as one HTML page that needs nothing else: who was tried, every id with its result, and the bytes."""

from __future__ import annotations

from html import escape
from importlib import resources
from typing import Final

from hil.conformance.rules import GROUPS, RULES, rule_texts
from hil.conformance.verdicts import WORDS, Report, Result, Seen
from hil.conformance.words import verdict

_CLASSES: Final = {"pass": "pass", "fail": "fail"}
_ARROWS: Final = {"to device": "host → device", "from device": "device → host", "note": ""}


def page(report: Report) -> str:
    device, title = report.device, f"TableLink conformance: {report.device.role} {report.device.serial}".strip()
    mood = "bad" if report.of("fail") else "good" if report.conforms else "none"
    about = {
        "Device": f"{' and '.join(device.roles) or device.role}, serial {device.serial or 'unknown'}",
        "Firmware": device.firmware or "unknown",
        "Protocol": f"TableLink version {device.version}" if device.version else "unknown",
        "Capabilities": ", ".join(device.capabilities) or "none",
        "Boot id at the end": f"{device.boot:08X}",
        "Port": device.port,
        "Authentication": "with its key" if device.authenticated else "none",
        "Tried by": f"croupier {report.kit}, {report.began}, {report.seconds:.0f} s",
        "Made to happen by": report.helper,
        "Results": ", ".join(f"{len(report.of(outcome))} {words}" for outcome, words in WORDS.items()),
    }
    if report.ended:
        about["Ended early"] = report.ended
    texts = rule_texts()
    style = resources.files("hil.conformance").joinpath("report.css").read_text(encoding="utf-8")
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>{style}</style></head><body>",
            f"<h1>{escape(title)}</h1>",
            f'<p class="verdict {mood}">{escape(verdict(report))}</p>',
            "<dl>",
            *(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about.items()),
            "</dl>",
            *(_group(name, words, report, texts) for name, words in GROUPS.items()),
            "</body></html>",
            "",
        ]
    )


def _group(name: str, words: str, report: Report, texts: dict[str, str]) -> str:
    results = sorted((each for each in report.results if RULES[each.id].group == name), key=lambda each: each.id)
    if not results:
        return ""
    rows = "\n".join(_row(result, texts.get(result.id, "")) for result in results)
    head = "<tr><th>Id</th><th>Result</th><th>Rule, and what was seen</th></tr>"
    return f"<h2>{escape(words)}</h2>\n<table>{head}\n{rows}\n</table>"


def _row(result: Result, text: str) -> str:
    why = f'<div class="why">{escape(result.words)}</div>' if result.words else ""
    kind = _CLASSES.get(result.outcome, "other")
    opened = " open" if result.outcome == "fail" else ""
    frames = sum(bool(seen.data) for seen in result.evidence)
    told = f"The rule, and {frames} frames" if frames else "The rule"
    bytes_seen = "".join(_seen(seen) for seen in result.evidence)
    table = f'<table class="bytes">{bytes_seen}</table>' if bytes_seen else ""
    rule = f'<p class="text">{escape(text.replace("`", ""))}</p>'
    return (
        f'<tr><td class="id">{result.id}</td><td class="result {kind}">{WORDS[result.outcome]}</td>'
        f"<td>{escape(RULES[result.id].title)}{why}"
        f"<details{opened}><summary>{told}</summary>{rule}{table}</details></td></tr>"
    )


def _seen(seen: Seen) -> str:
    return (
        f'<tr><td class="at">{seen.at:.3f} s</td><td class="way">{_ARROWS[seen.way]}</td>'
        f'<td class="hex">{seen.data.hex(" ")}</td><td>{escape(seen.words)}</td></tr>'
    )
