"""The kit's list of rules is PROTOCOL.md's: every id is tried, or listed with why it can't be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import firmware_protocol
from hil.conformance.checks import CHECKS
from hil.conformance.rules import GROUPS, RULES, NoSuchRule, chosen, rule_texts

PROTOCOL = (Path(firmware_protocol.__file__).parent / "PROTOCOL.md").read_text()
IDS = set(re.findall(r"TL-\d{3}", PROTOCOL))


def test_every_id_of_the_protocol_is_in_the_list_and_no_other() -> None:
    assert set(RULES) == IDS


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_each_is_tried_by_a_check_or_listed_with_its_reason(rule: object) -> None:
    rule = RULES[getattr(rule, "id")]  # noqa: B009 - the parameter is a plain object to pytest
    assert rule.is_tried == (rule.id in CHECKS)
    if not rule.is_tried:
        assert rule.host or len(rule.never) > 10
    assert rule.group in GROUPS
    assert rule.title


def test_each_rule_is_quoted_from_the_protocol() -> None:
    texts = rule_texts()
    assert set(texts) == IDS
    assert texts["TL-003"] == "A body has 1 to 64 bytes."
    assert texts["TL-071"].startswith("at most (TL-071): 4 s")
    assert "a device does not get better" not in texts["TL-095"]
    assert "must not send error messages" in texts["TL-095"]
    assert "7F" in texts["TL-040"]


def test_rules_that_the_protocol_states_for_the_host_are_not_asked_of_a_device() -> None:
    for rule in RULES.values():
        if rule.host:
            text = rule_texts()[rule.id]
            assert "host" in text or "PING (TL-072)" in text, text


def test_ids_are_chosen_by_number_group_and_list_in_the_kits_order() -> None:
    assert chosen(["TL-002,tl-1", "20"]) == ("TL-020", "TL-001", "TL-002")
    assert chosen(["versions"]) == ("TL-090", "TL-091", "TL-095")
    assert chosen(["Framing"])[0] == "TL-001"
    assert chosen([]) == ()


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("TL-017", "Did you mean TL-015 or TL-020?"),
        ("framng", "Did you mean framing?"),
        ("TL-9999", "Groups: framing"),
        ("nonsense!", "Groups: framing"),
        ("TL-", "Groups: framing"),
    ],
)
def test_a_word_that_is_no_rule_is_told_with_what_was_perhaps_meant(word: str, hint: str) -> None:
    with pytest.raises(NoSuchRule, match=re.escape(hint)):
        chosen([word])
