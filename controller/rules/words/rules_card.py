"""The printed rules card: all a ruleset claims, and its pay tables, as Markdown or as plain text."""

from __future__ import annotations

from itertools import groupby

from controller.rules.money import odds_words
from controller.rules.ruleset import Ruleset
from controller.rules.words.claims import claims


def rules_card(rules: Ruleset) -> str:
    """The card as Markdown."""
    parts = [f"# {rules.name}", ""]
    if rules.summary:
        parts += [rules.summary, ""]
    for topic, said in groupby(claims(rules), key=lambda claim: claim.topic):
        parts += [f"## {topic}", "", *(f"- {claim.words}" for claim in said), ""]
    for offered in rules.side_bets.values():
        parts += [f"## Side bet: {offered.bet.title}", ""]
        for number, (phase, pays) in enumerate(zip(offered.bet.phases, offered.pays, strict=True), 1):
            when = "first cards" if phase.stage == "deal" else "the dealer's final hand"
            first = f"Phase {number}, on {when}:" if len(offered.pays) > 1 else f"On {when}:"
            parts += [first, "", "| | pays |", "|---|--:|"]
            parts += [f"| {words} | {odds_words(pays[line])} |" for line, words in phase.lines.items() if line in pays]
            parts += [""]
        if len(offered.pays) > 1:
            parts += ["After a phase that pays, the bet stays up for the next; a phase that does not pay takes it.", ""]
    return "\n".join(parts).rstrip() + "\n"


def plain_card(rules: Ruleset) -> str:
    """The card as text for a terminal or a plain printer."""
    lines = []
    for line in rules_card(rules).splitlines():
        if line.startswith("|---") or line == "| | pays |":
            continue
        if line.startswith("|"):
            words, pays = (cell.strip() for cell in line.strip("|").split("|"))
            lines.append(f"  {words:.<44} {pays}")
        elif line.startswith("#"):
            title = line.lstrip("# ")
            lines += [title.upper() if line.startswith("# ") else title, "-" * len(title)]
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"
