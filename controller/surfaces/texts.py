"""What signs and boards say, in four lengths, from the public view: limits and rules on one, results on the other."""

from __future__ import annotations

from controller.rules.ruleset import Ruleset
from controller.rules.words.sign import sign_lines
from controller.table.felt import HandView
from controller.table.views import PublicView, net_words
from drivers.base import Text

SHORT: int = 20  # characters of a pole display's row


def limits_content(view: PublicView, rules: Ruleset, currency: str) -> dict[str, Text]:
    """For a display that shows the limits: they, what is coming, and the rules' own lines."""
    content: dict[str, Text] = {}
    main = next((limit for limit in view.limits if limit.bet == "main"), None)
    if main is not None:
        words = f"{currency}{main.min} TO {currency}{main.max}"
        later = f"; then {main.next}" if main.next else ""
        content["limits"] = Text(
            page=f"{view.game}: {main.words}{later}",
            line=f"MIN {currency}{main.min} MAX {currency}{main.max}",
            short=words,
            digits=main.min,
        )
    lines = sign_lines(rules)
    if lines:
        content["rules"] = Text(page="; ".join(lines), line=lines[0], short=lines[0][:SHORT])
    return content


def results_content(view: PublicView, currency: str) -> dict[str, Text]:
    """For a display that shows the round: how the cards lie while it is played, what each seat won when it is over."""
    if view.phase == "closed":
        return {"message": Text(page=f"{view.table} is closed", line="TABLE CLOSED", short="TABLE CLOSED")}
    if view.phase == "betting":
        return _between_rounds(view, currency)
    dealer = f"dealer {_cards(view.dealer)}" if view.dealer else ""
    hands = [f"seat {hand.seat} {_cards(hand)}" for hand in view.hands]
    short = f"DEALER {_cards(view.dealer)}" if view.dealer else f"ROUND {view.round}"
    page = "; ".join(part for part in (f"round {view.round}", dealer, *hands) if part)
    return {
        "result": Text(page=page, line=short, short=short[:SHORT]),
        "message": Text(page=f"waiting for {view.awaiting}", line=view.awaiting.upper(), short=view.awaiting[:SHORT]),
    }


def _between_rounds(view: PublicView, currency: str) -> dict[str, Text]:
    message = Text(page="place your bets", line="PLACE YOUR BETS", short="PLACE YOUR BETS")
    if not view.net:
        return {"message": message}
    seats = " ".join(f"{seat}:{net_words(net, '')}" for seat, net in sorted(view.net.items()) if net is not None)
    outcomes = "; ".join(f"seat {hand.seat} {hand.outcome.replace('_', ' ')}" for hand in view.hands)
    result = Text(
        page=f"round {view.round}: {outcomes}" + (f" ({currency}) {seats}" if seats else ""),
        line=seats or f"ROUND {view.round} IS OVER",
        short=seats if seats and len(seats) <= SHORT else f"ROUND {view.round} IS OVER",
    )
    return {"result": result, "message": message}


def _cards(hand: HandView) -> str:
    cards = " ".join("--" if card is None else card for card in hand.cards)
    return f"{cards} = {hand.total}" if hand.total else cards
