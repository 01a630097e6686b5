// The felt: the dealer's hand and the seats, as they lie. A seat is one button; others say what a tap on it means.

import {cardElement} from "/pages/cards.js";
import {byId, element} from "/pages/dealer-dom.js";
import {onTap} from "/pages/dealer-taps.js";
import {money, signed} from "/pages/money.js";

const GOOD = ["win", "blackjack", "instant_win"];
const FITS = [1, 0.9, 0.8, 0.7, 0.6, 0.5];
const BAD = ["lose", "bust", "surrender"];

/** @param tapped called with the number of a seat. Returns show(view, marks): marks is seat → {words, tap, kind}. */
export function felt(t, tapped) {
  const seats = new Map();
  return function show(view, marks) {
    const {layout, coach} = view;
    byId("dealer-hand").replaceChildren(...dealerParts(t, view));
    byId("dealer-hand").classList.toggle("awaited", coach.seat === 0);
    byId("seats").style.setProperty("--seats", layout.seats);
    for (let number = 1; number <= layout.seats; number++) {
      if (!seats.has(number)) {
        const made = element("button", {type: "button", class: "seat", "data-seat": number});
        onTap(made, `seat ${number}`, () => tapped(number));
        byId("seats").append(made);
        seats.set(number, made);
      }
      showSeat(t, seats.get(number), number, view, marks.get(number));
    }
  };
}

function dealerParts(t, view) {
  const {dealer, burned, phase} = view.public;
  const parts = [element("h2", {}, view.dealer_name || t("dealer.dealer"))];
  parts.push(cardsOf(dealer ? dealer.cards : []));
  if (dealer?.total) parts.push(element("b", {class: "total"}, totalWords(t, dealer.total)));
  if (view.coach.check) parts.push(element("strong", {class: "check"}, t(`dealer.check.${view.coach.check}`)));
  if (burned.length) {
    parts.push(element("span", {class: "burned"}, t("dealer.burned"), ...burned.map((card) => cardElement(card))));
  }
  if (phase !== "playing" && dealer) parts.push(element("span", {class: "quiet over"}, t("dealer.over")));
  return parts;
}

function showSeat(t, seat, number, view, mark) {
  const {phase, hands, side_bets: sideBets, seats} = view.public;
  const taken = seats.find((each) => each.seat === number);
  const mine = hands.filter((each) => each.seat === number);
  const bets = sideBets.filter((each) => each.seat === number);
  const playing = phase === "playing";
  const parts = [
    element("span", {class: "number", "aria-hidden": "true"}, number),
    element("span", {class: "seen-by-readers-only"}, t("dealer.seat", {seat: number})),
  ];
  if (mine.length) parts.push(element("span", {class: "hands"}, ...mine.map((hand) => handParts(t, hand, view))));
  if (bets.length && playing) parts.push(...bets.map((bet) => betParts(t, bet, view)));
  if (!playing) parts.push(betweenRounds(t, taken, number, view));
  if (mark) parts.push(element("span", {class: `mark ${mark.kind}`}, mark.words));
  seat.replaceChildren(...parts);
  seat.disabled = !mark?.tap;
  seat.className = "seat";
  seat.classList.toggle("many", mine.length > 1);
  seat.classList.toggle("crowd", mine.length > 2);
  seat.classList.toggle("over", !playing);
  seat.classList.toggle("empty", playing ? !mine.length : !taken?.wager && !(taken && !view.layout.wagers));
  seat.classList.toggle("awaited", view.coach.seat === number);
  seat.classList.toggle("asked", Boolean(mark?.tap) && playing);
  fit(seat);
}

/** Four split hands on a small screen: smaller, but all of them and what they have. */
function fit(seat) {
  for (const size of FITS) {
    seat.style.setProperty("--fit", size);
    if (seat.scrollHeight <= seat.clientHeight) return;
  }
}

function handParts(t, hand, view) {
  const {currency} = view.layout;
  const over = view.public.phase !== "playing";
  const turn = !over && view.coach.seat === hand.seat && view.coach.hand === hand.hand;
  const parts = [cardsOf(hand.cards)];
  const result = hand.outcome
    ? element("span", {class: `outcome ${tone(hand.outcome)}`}, t(`dealer.outcome.${hand.outcome}`))
    : null;
  const total = hand.total ? element("b", {class: "total"}, totalWords(t, hand.total)) : null;
  const net = amountParts(signed(hand.net, currency, t.lang), tone(hand.outcome));
  const wager = over ? null : amountParts(money(hand.wager, currency, t.lang), "wager");
  const doubled = hand.doubles && !over ? element("span", {class: "doubled"}, t("dealer.doubled")) : null;
  parts.push(element("span", {class: "line"}, total, hand.outcome ? net : wager, doubled), result);
  return element("span", {class: turn ? "hand turn" : "hand"}, ...parts);
}

function amountParts(words, kind) {
  return words ? element("span", {class: `money ${kind}`}, words) : null;
}

function betParts(t, bet, view) {
  const {currency} = view.layout;
  const amount = bet.wager === null ? "" : money(bet.wager, currency, t.lang);
  const settled = bet.outcome && bet.net !== null ? signed(bet.net, currency, t.lang) : amount;
  return element(
    "span",
    {class: `side ${tone(bet.outcome)}`},
    element("span", {}, bet.title),
    settled ? element("span", {class: "money"}, settled) : null,
    bet.paid === null ? null : element("span", {class: "lammer"}, t("dealer.lammer")),
  );
}

function betweenRounds(t, taken, number, view) {
  if (!taken || (taken.wager === null && view.layout.wagers)) {
    return element("span", {class: "place"}, view.public.phase === "betting" ? "+" : "");
  }
  const {currency} = view.layout;
  const side = Object.entries(taken.side).map(([bet, amount]) =>
    element("span", {class: "side"}, view.layout.side_bets[bet] ?? bet, " ", money(amount, currency, t.lang)),
  );
  const bet = taken.wager === null ? t("dealer.plays") : money(taken.wager, currency, t.lang);
  return element(
    "span",
    {class: "bet"},
    element("b", {class: "money"}, bet),
    ...side,
    taken.again ? element("span", {class: "again"}, t("dealer.again")) : null,
  );
}

function cardsOf(codes) {
  const cards = codes.map((code) => cardElement(code));
  return element("span", {class: "cards", "data-count": Math.min(codes.length, 6)}, ...cards);
}

function totalWords(t, total) {
  const [word, number] = total.split(" ");
  if (number === "21") return number; // as good as it gets: that it could be less helps nobody
  return number ? t("dealer.soft", {total: number}) : word;
}

function tone(outcome) {
  return GOOD.includes(outcome) ? "good" : BAD.includes(outcome) ? "bad" : "";
}
