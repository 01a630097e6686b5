"""The dealer's sheet of a game: one printed page of HTML, made of the rules object and, where there is one, of the
table's own limits and chips. Whole in itself; refuses nothing, for the rules were checked before.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final

from controller.rules.money import Money, money_words, odds_words, round_to_chip, whole
from controller.rules.ruleset import Ruleset
from controller.rules.sidebets import OfferedBet
from controller.rules.words.claims import claims, number_word, total_words
from controller.table.chips import piles_of
from controller.table.coach_words import listed
from controller.table.limits import BetLimits
from controller.table.state import MAIN, Setup

GENERIC: Final[tuple[Money, ...]] = (5, 10, 25, 50, 100)  # bets of a game without a table
MOST_BETS: Final = 5
MOST_PILES: Final = 4  # what fits below an amount
MOST_LINES: Final = 8  # of side bets; where there are more, the amounts must do without chips
LARGEST, SMALLEST = 10.5, 6.5  # points
FULL: Final = 595.0  # the square root of the letters that fill a page at one point: found by printing every game
LINE: Final = 170  # letters that a row of a table takes the room of
COUNTING: Final = (
    "2 to 10 count what they show; jack, queen and king count 10; an ace counts 11, or 1 where 11 would be too many.",
    "Soft is a hand whose ace counts 11; every other one is hard.",
    "A hand over 21 is bust: take its bet and its cards at once.",
)
STYLE: Final = """
@page { size: A4; margin: 9mm 10mm }
* { box-sizing: border-box; margin: 0 }
body { font: SIZEpt/1.27 "DejaVu Sans", "Noto Sans", Arial, sans-serif; color: #000; background: #fff;
  max-width: 190mm; margin: 0 auto; print-color-adjust: exact }
header { display: flex; justify-content: space-between; align-items: end; gap: 6mm;
  border-bottom: 0.6mm solid; padding-bottom: 1.5mm; margin-bottom: 2mm }
h1 { font-size: 1.9em; line-height: 1.1 }
h2 { font-size: 1.08em; margin-bottom: 0.6mm; border-bottom: 0.2mm solid #777 }
.limits { text-align: right; font-weight: bold }
.simulated { border: 0.5mm solid; padding: 0 1.5mm; font-weight: bold }
main { columns: 2; column-gap: 6mm; margin-bottom: 2mm }
section { break-inside: avoid; margin-bottom: 2.2mm }
ol, ul { padding-left: 1.5em }
li { margin-bottom: 0.35mm }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: 0.3mm 0.8mm; border-bottom: 0.15mm solid #999; vertical-align: top;
  font-weight: normal }
thead th { font-weight: bold }
th:first-child { text-align: left }
small { display: block; font-size: 0.8em; color: #333; white-space: nowrap }
td { width: 13% }
th:first-child, td:nth-child(2) { width: auto; white-space: nowrap }
p.note { font-size: 0.88em }
"""


def rules_sheet(rules: Ruleset, setup: Setup | None = None, *, simulated: bool = False, linked: str = "") -> str:
    """The page. Without a `setup`: the game alone, with bets that are usual anywhere. `linked`: where its style is, for
    a server whose policy allows none within."""
    parts = list(_body(rules, setup, simulated))
    head = f'<link rel="stylesheet" href="{_safe(linked)}">' if linked else f"<style>{_style(parts)}</style>"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_safe(rules.name)}</title>\n{head}\n</head>\n"
        f"<body>\n{''.join(parts)}</body>\n</html>\n"
    )


def sheet_style(rules: Ruleset, setup: Setup | None = None, *, simulated: bool = False) -> str:
    """The style of the same page."""
    return _style(list(_body(rules, setup, simulated)))


def _style(parts: Sequence[str]) -> str:
    return STYLE.replace("SIZE", f"{_size(parts):.1f}")


def _size(parts: Sequence[str]) -> float:
    """Of the letters, so that all of it stands on one page and is as large as that allows."""
    text = "".join(parts)
    letters = len(re.sub(r"<table.*?</table>|<[^>]*>", "", text)) + LINE * (
        sum(map(_height, text.split("<tr>")[1:])) + text.count("<table>") + text.count("<br>")
    )
    return min(LARGEST, max(SMALLEST, FULL / math.sqrt(letters)))


def _height(row: str) -> float:
    """Of a table's row, in lines: chips stand below their amount, smaller."""
    return 1 + 0.7 * max(cell.count("<small>") for cell in row.split("<td>"))


def _body(rules: Ruleset, setup: Setup | None, simulated: bool) -> Iterator[str]:
    at = f"{setup.name} · " if setup else ""
    yield f"<header><div><h1>{_safe(rules.name)}</h1><p>{_safe(at)}for the dealer</p></div>"
    if simulated:
        yield '<p class="simulated">SIMULATED</p>'
    if setup and setup.wagers and setup.limits:
        lines = (f"{_title(rules, bet)}: {_range(setup, limit)}" for bet, limit in setup.limits.items())
        yield f'<p class="limits">{"<br>".join(map(_safe, lines))}</p>'
    yield "</header>\n<main>\n"
    yield _section("A round, step by step", _list(round_steps(rules, setup), "ol"))
    yield _section("How hands count", _list(COUNTING, "ul"))
    for topic, said in groupby(claims(rules), key=lambda claim: claim.topic):
        yield _section(topic, _list((claim.words for claim in said), "ul"))
    yield _section("When something is not as it should be", _list(_trouble(setup), "ul"))
    yield "</main>\n"
    yield _pay_table(rules, setup)
    for offered in rules.side_bets.values():
        yield from _side_bet(rules, offered, setup)


def round_steps(rules: Ruleset, setup: Setup | None = None) -> list[str]:
    """What the dealer does in a round of these rules, in order."""
    second = "then a second card to every seat" if rules.no_hole_card else "and the same once more"
    lie = "face up" if rules.player_cards == "face_up" else "face down"
    if rules.no_hole_card:
        own = "Your one card lies face up."
    else:
        own = f"Of yours, the {rules.up_card} lies face up, the other face down."
    steps = [
        "Wait until all bets are down; then nobody touches them.",
        f"Deal one card to every seat with a bet, seat 1 first, then one to yourself, {second}. "
        f"Players' cards lie {lie}. {own}",
    ]
    if first := _titles(rules, "deal"):
        steps.append(f"Pay and take {first}.")
    if rules.blackjack_paid == "at_once":
        steps.append("Pay blackjacks now, as the screen says.")
    if rules.insurance:
        steps.append("An ace is up: ask for insurance, then tap Insurance closed.")
    if not rules.no_hole_card:
        if rules.surrender == "early":
            steps.append("An ace or a ten-value is up: ask who surrenders, then tap Surrender closed.")
        steps.append(
            "An ace or a ten-value is up: tap Check for blackjack. If you have one, turn it, take and pay: "
            "the round is over."
        )
    hit = "Draw a card for a hit" if setup is None or setup.settings.implied_hit else "Tap Hit and draw a card"
    steps += [
        f"Ask each seat in turn, seat 1 first. {hit}; tap everything else before you deal for it.",
        "Draw your second card, then play your hand." if rules.no_hole_card else "Turn your hole card; play your hand.",
        "Pay and take, bet by bet, as the screen lists them.",
    ]
    if late := _titles(rules, "dealer"):
        steps.append(f"Pay and take {late}: your final hand decides.")
    return steps


def _titles(rules: Ruleset, stage: str) -> str:
    bets = (offered.bet for offered in rules.side_bets.values())
    return listed([bet.title for bet in bets if any(phase.stage == stage for phase in bet.phases)])


def _trouble(setup: Setup | None) -> list[str]:
    said = [
        "The screen asks a question: answer it before anything else.",
        "Tapped wrong: Undo, in the corner. It takes back one step at a time.",
        "The felt and the screen differ: stop. Menu, Table and system disagree.",
        "The shoe is gone: wait for it, or tap Deal by hand and name each card.",
    ]
    if setup is not None and setup.burns:
        said.append("Burn a card when you come in, and when a shoe is loaded.")
    if setup is not None and setup.lone_dealer:
        return [*said, "You may void a round yourself; say the reason."]
    return [*said, "Voiding a round, a wrong card of an old round, a dispute: call the supervisor."]


def typical_bets(limits: BetLimits) -> tuple[Money, ...]:
    """The least, the most, and round multiples of the least between them; all of them may be bet."""
    steps = (Fraction(limits.max) - limits.min) // limits.step
    most = limits.min + limits.step * steps  # a supervisor may set a most that no steps come to
    wished = [limits.min * times for times in (1, 2, 5, 10, 20, 50)]
    found = [bet for bet in wished if not limits.refusal(bet)]
    if len(found) < MOST_BETS - 1:  # the steps begin at a least that is none of them
        wished = [limits.min + limits.step * count for count in range(MOST_BETS)]
        found = sorted({*found, *(bet for bet in wished if not limits.refusal(bet))})
    return tuple(dict.fromkeys((*found[: MOST_BETS - 1], most)))


def paid(rules: Ruleset, wager: Money, odds: Money) -> Money:
    """What is handed over for a wager at these odds, rounded as the house does."""
    exact = whole(Fraction(wager) * odds)
    return exact if rules.rounding == "exact" else round_to_chip(exact, rules.rounding_chip, rules.rounding)


def _pay_table(rules: Ruleset, setup: Setup | None) -> str:
    rows: list[tuple[str, Money, str]] = [("Win", 1, ""), ("Blackjack", rules.blackjack_pays, "")]
    rows += [
        (f"{number_word(w.cards)} or more cards: {total_words(w)}".capitalize(), w.pays, "") for w in rules.instant_wins
    ]
    if rules.insurance:
        rows.append(("Insurance (half the bet)", Fraction(rules.insurance_pays) / 2, odds_words(rules.insurance_pays)))
    if rules.surrender != "none":
        rows.append(("Surrender: give back", Fraction(1, 2), "half"))
    return _section("What is paid", _table(rules, MAIN, rows, setup))


def _side_bet(rules: Ruleset, offered: OfferedBet, setup: Setup | None) -> Iterator[str]:
    lines = sum(len(pays) for each in rules.side_bets.values() for pays in each.pays)
    for number, (phase, pays) in enumerate(zip(offered.bet.phases, offered.pays, strict=True), 1):
        rows = [(words, pays[line], "") for line, words in phase.lines.items() if line in pays]
        when = "on the first cards" if phase.stage == "deal" else "on the dealer's final hand"
        part = f", phase {number}" if len(offered.pays) > 1 else ""
        title = f"{offered.bet.title}{part}: {when}"
        more = "A phase that pays leaves the bet up for the next; one that does not takes it."
        note = f'<p class="note">{more}</p>' if number == len(offered.pays) > 1 else ""
        yield _section(title, _table(rules, offered.key, rows, setup, chips=lines <= MOST_LINES) + note)


def _table(
    rules: Ruleset, bet: str, rows: Sequence[tuple[str, Money, str]], setup: Setup | None, *, chips: bool = True
) -> str:
    """What a bet of each size is paid, with the chips for it. Without wagers, the odds alone."""
    bets = _bets(bet, setup)
    currency = setup.currency if setup else ""
    made = ["<table><thead><tr><th>Bet</th><th>pays</th>"]
    made += [f"<th>{_safe(currency + money_words(each))}</th>" for each in bets]
    made.append("</tr></thead><tbody>")
    for words, odds, said in rows:
        made.append(f"<tr><th>{_safe(words)}</th><td>{_safe(said or odds_words(odds))}</td>")
        made += [f"<td>{_amount(paid(rules, each, odds), setup if chips else None)}</td>" for each in bets]
        made.append("</tr>")
    return "".join([*made, "</tbody></table>"])


def _bets(bet: str, setup: Setup | None) -> tuple[Money, ...]:
    if setup is None:
        return GENERIC
    if not setup.wagers or bet not in setup.limits:
        return ()
    return typical_bets(setup.limits[bet])


def _amount(amount: Money, setup: Setup | None) -> str:
    """`15`, and below it the chips: `1×10 1×5`. The chips are left out where there are many kinds."""
    words = _safe(money_words(amount))
    piles = piles_of(amount, setup.chips) if setup is not None else []
    if not piles or len(piles) > MOST_PILES:
        return words
    lines = [" ".join(f"{count}×{money_words(chip)}" for chip, count in two) for two in _twos(piles)]
    return words + "".join(f"<small>{_safe(line)}</small>" for line in lines)


def _twos(piles: Sequence[tuple[Money, int]]) -> Iterator[Sequence[tuple[Money, int]]]:
    for first in range(0, len(piles), 2):
        yield piles[first : first + 2]


def _title(rules: Ruleset, bet: str) -> str:
    return "Bets" if bet == MAIN else rules.side_bets[bet].bet.title


def _range(setup: Setup, limit: BetLimits) -> str:
    least, most, step = (f"{setup.currency}{money_words(each)}" for each in (limit.min, limit.max, limit.step))
    return f"{least} to {most}, in steps of {step}"


def _section(title: str, inner: str) -> str:
    return f"<section><h2>{_safe(title)}</h2>{inner}</section>\n"


def _list(words: Iterable[str], kind: str) -> str:
    return f"<{kind}>{''.join(f'<li>{_safe(each)}</li>' for each in words)}</{kind}>"


def _safe(text: str) -> str:
    return html.escape(text, quote=True)
