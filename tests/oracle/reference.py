"""Settles a round script as a careful person checks a dispute: deal, insurance, peek, play, dealer, pay.

Pure, and deliberately without any state machine: it walks the cards and the decisions from front to back.
It is plain so that it can be read against the games' texts, and it shares no line with the product.
"""

from fractions import Fraction
from typing import Any

from .house import Card, Refused, Script, is_natural, is_soft, money, read, total
from .play import Felt, Hand, play_every_seat, refuse_split_of_closed_aces
from .side_bets import entry, settle_on_the_deal, settle_ten_eleven_or_bust, ten_or_eleven


def settle(script: dict[str, Any]) -> dict[str, Any]:
    """The settlement of a round script, or its refusal."""
    try:
        return settlement(read(script))
    except Refused as refused:
        return {"error": refused.code, "message": refused.message}


def awaited(script: dict[str, Any]) -> tuple[Hand | None, str]:
    """For writers of scripts: the hand whose decision is missing, and the refusal code (empty: none)."""
    try:
        settlement(read(script))
    except Refused as refused:
        return refused.hand, refused.code
    return None, ""


def settlement(script: Script) -> dict[str, Any]:
    felt = Felt(script)
    deal(felt)
    take_insurance(felt)
    take_early_surrenders(felt)
    if script.options["no_hole_card"]:
        play_every_seat(felt)
        dealer_without_hole_card(felt)
    elif is_natural(felt.dealer):
        dealer_has_blackjack(felt)
    else:
        pay_blackjacks(felt)
        play_every_seat(felt)
        if someone_waits_for_the_dealer(felt):
            dealer_draws(felt)
    compare(felt)
    refuse_left_over_actions(felt)
    return written(felt)


def deal(felt: Felt) -> None:
    seats = felt.script.seats
    for seat in seats:
        felt.hands[seat.number] = [Hand(seat.number, 1, seat.bet, [felt.draw()], wager=seat.bet)]
    felt.dealer.append(felt.draw())
    for seat in seats:
        felt.hands[seat.number][0].cards.append(felt.draw())
    if not felt.option("no_hole_card"):
        felt.dealer.append(felt.draw())


def take_insurance(felt: Felt) -> None:
    """The insurance entries at the head of the list; one that comes later is out of turn."""
    while (action := felt.next_action()) and action[2] == "insurance":
        seat, hand = action[0], action[1]
        if seat not in felt.hands or hand != 0:
            raise Refused(f"out_of_turn:{seat}/{hand}", "nobody there to insure")
        if not felt.option("insurance"):
            raise Refused("insurance_not_offered", "this table has no insurance")
        if felt.up_card()[0] != "A":
            raise Refused("insurance_no_ace", "the dealer's up card is no ace")
        amount = money(action[3] if len(action) > 3 else None)
        if amount <= 0:
            raise Refused(f"bad_bet:{seat}", "the insurance is no amount")
        if amount > felt.hands[seat][0].bet / 2:
            raise Refused("insurance_over_half", "insurance is at most half the bet")
        if seat in felt.insurance:
            raise Refused("insurance_twice", f"seat {seat} is insured already")
        felt.insurance[seat] = amount
        felt.actions_used += 1


def take_early_surrenders(felt: Felt) -> None:
    """Before the check any seat without a blackjack may give up half, in any order."""
    if felt.option("surrender") != "early" or not felt.dealer_checks():
        return
    while (action := felt.next_action()) and action[2] == "surrender":
        hand = next(iter(felt.hands.get(action[0], [])), None)
        if hand is None or action[1] != 1 or hand.outcome or is_natural(hand.cards):
            return  # no such offer: the entry waits for its turn, which may never come
        hand.end("surrender", -hand.wager / 2, "play", "half of the wager is given up before the check")
        felt.actions_used += 1


def pay_blackjack(felt: Felt, hand: Hand, stage: str = "") -> None:
    pays = felt.script.blackjack_pays
    stage = stage or felt.script.nature.blackjack_stage
    hand.end("blackjack", hand.wager * pays, stage, f"blackjack pays {pays} to 1")


def pay_blackjacks(felt: Felt) -> None:
    for hand in felt.all_hands():
        if is_natural(hand.cards):
            pay_blackjack(felt, hand)


def dealer_has_blackjack(felt: Felt) -> None:
    """The round is over before it was played: only original bets are lost."""
    for hand in felt.all_hands():
        if hand.outcome:
            continue
        if not is_natural(hand.cards):
            hand.end("lose", -hand.wager, "peek", "the dealer has blackjack")
        elif felt.option("blackjack_tie") == "win":
            at_once = felt.script.nature.blackjack_stage == "deal"
            pay_blackjack(felt, hand, "deal" if at_once else "peek")
        else:
            hand.end("push", Fraction(0), "peek", "blackjack against blackjack")


def live_ten_eleven_or_bust(felt: Felt) -> bool:
    return any(
        bet == "ten_eleven_or_bust" and ten_or_eleven(first_two(felt, seat.number))
        for seat in felt.script.seats
        for bet, _ in seat.side
    )


def first_two(felt: Felt, seat: int) -> list[Card]:
    """The two cards the seat was dealt, read off the shoe: later play moves them about."""
    seats = [one.number for one in felt.script.seats]
    place = seats.index(seat)
    return [felt.script.shoe[place], felt.script.shoe[len(seats) + 1 + place]]


def someone_waits_for_the_dealer(felt: Felt) -> bool:
    return any(not hand.outcome for hand in felt.all_hands()) or live_ten_eleven_or_bust(felt)


def dealer_draws(felt: Felt) -> None:
    hits_soft_17 = felt.option("dealer_hits_soft_17")
    while total(felt.dealer) < 17 or (total(felt.dealer) == 17 and is_soft(felt.dealer) and hits_soft_17):
        felt.dealer.append(felt.draw())


def dealer_without_hole_card(felt: Felt) -> None:
    """The dealer's second card comes after all play, and only if some wager needs it; what waited ends last."""
    naturals = [hand for hand in felt.all_hands() if not hand.split and is_natural(hand.cards)]
    open_hands = [hand for hand in felt.all_hands() if not hand.outcome and hand not in naturals]
    if not felt.threat() or felt.option("blackjack_tie") == "win":
        for hand in naturals:
            pay_blackjack(felt, hand)
        naturals = []
    if open_hands or felt.insurance or naturals:
        felt.dealer.append(felt.draw())
    if is_natural(felt.dealer):
        late_blackjack(felt)
        return
    for hand in naturals:
        pay_blackjack(felt, hand, "final")
    if open_hands:
        dealer_draws(felt)


def late_blackjack(felt: Felt) -> None:
    """A blackjack that shows after play takes everything on the felt, or one original bet from each seat."""
    for hands in felt.hands.values():
        paid = any(hand.net < 0 for hand in hands)
        for hand in hands:
            if hand.outcome:
                continue
            if not hand.split and is_natural(hand.cards):
                hand.end("push", Fraction(0), "final", "blackjack against blackjack")
            elif felt.option("dealer_blackjack_takes") == "all":
                hand.end("lose", -hand.wager, "final", "the dealer has blackjack")
            elif paid:
                hand.end("push", Fraction(0), "final", "the dealer's blackjack takes only the original bet")
            else:
                hand.end("lose", -hand.bet, "final", "the dealer's blackjack takes the original bet")
                paid = True


def compare(felt: Felt) -> None:
    """Every hand that still waits, against the dealer's final total."""
    dealer = total(felt.dealer)
    for hand in felt.all_hands():
        mine = total(hand.cards)
        if hand.outcome:
            continue
        if dealer == 22 and felt.script.nature.push_22:
            hand.end("push", Fraction(0), "final", "dealer 22: all unresolved hands push")
        elif dealer > 21:
            hand.end("win", hand.wager, "final", f"the dealer is bust with {dealer}")
        elif mine > dealer:
            hand.end("win", hand.wager, "final", f"{mine} against {dealer}")
        elif mine < dealer:
            hand.end("lose", -hand.wager, "final", f"{mine} against {dealer}")
        else:
            hand.end("push", Fraction(0), "final", f"both have {mine}")


def refuse_left_over_actions(felt: Felt) -> None:
    left = felt.next_action()
    if left is not None:
        refuse_split_of_closed_aces(felt, left)
        raise Refused("extra_action", f"no decision is wanted any more, and the list goes on with {left}")


def settled_side_bets(felt: Felt) -> list[dict[str, Any]]:
    bust_cards = len(felt.dealer) if total(felt.dealer) > 21 else None
    lines = []
    for seat in felt.script.seats:
        cards = first_two(felt, seat.number)
        for bet, wager in seat.side:
            if bet == "ten_eleven_or_bust":
                lines.append(settle_ten_eleven_or_bust(seat.number, wager, cards, bust_cards))
            else:
                lines.append(settle_on_the_deal(seat.number, bet, wager, cards, felt.up_card()))
        if seat.number in felt.insurance:
            wager = felt.insurance[seat.number]
            won = is_natural(felt.dealer)
            why = "the dealer has blackjack" if won else "the dealer has no blackjack"
            stage = "final" if felt.option("no_hole_card") else "peek"
            lines.append(entry(seat.number, "insurance", wager, wager * 2 if won else -wager, stage, why))
    return lines


def written(felt: Felt) -> dict[str, Any]:
    """The settlement as the JSON object of the round-script page; hands by seat as listed, then by number."""
    dealer = total(felt.dealer)
    hands = [hand for hands in felt.hands.values() for hand in sorted(hands, key=lambda one: one.number)]
    side_bets = settled_side_bets(felt)
    net = {seat.number: Fraction(0) for seat in felt.script.seats}
    for hand in hands:
        net[hand.seat] += hand.net
    for line in side_bets:
        net[line["seat"]] += Fraction(line["net"])
    return {
        "dealer": {
            "cards": names(felt.dealer),
            "total": dealer,
            "blackjack": is_natural(felt.dealer),
            "bust": dealer > 21,
        },
        "hands": [
            {
                "seat": hand.seat,
                "hand": hand.number,
                "cards": names(hand.cards),
                "total": total(hand.cards),
                "wager": str(hand.wager),
                "doubles": hand.doubles,
                "outcome": hand.outcome,
                "net": str(hand.net),
                "stage": hand.stage,
                "why": hand.why,
            }
            for hand in hands
        ],
        "side_bets": side_bets,
        "net": {str(seat): str(amount) for seat, amount in net.items()},
        "burned": names(felt.burned),
        "cards_used": felt.cards_used,
    }


def names(cards: list[Card]) -> list[str]:
    return [rank + suit for rank, suit in cards]
