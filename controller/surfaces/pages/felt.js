// A round as it lies on the felt, for everybody: hands, totals and results as elements. Has only what the view has.

import {cardElement} from "/pages/cards.js";
import {money, signed} from "/pages/money.js";

export function element(tag, name, ...content) {
  const made = document.createElement(tag);
  made.className = name;
  made.append(...content.filter((each) => each !== null && each !== ""));
  return made;
}

/** Cards of a hand, in a row. */
export function cardRow(hand) {
  return element("div", "cards", ...hand.cards.map((code) => cardElement(code)));
}

/** "17", or for a soft total both of its values, so that a novice understands: "7 or 17". */
export function totalWords(total, t) {
  const soft = /^soft (\d+)$/.exec(total);
  if (!soft) return total;
  const high = Number(soft[1]);
  return high === 21 ? "21" : t("felt.soft", {low: high - 10, high});
}

/** The dealer's total; a 22 that is no bust says what it is. */
export function dealerTotal(dealer, sign, t) {
  const total = totalWords(dealer.total, t);
  if (!/^\d+$/.test(dealer.total) || Number(dealer.total) <= 21) return total;
  return Number(dealer.total) === 22 && sign.pushes_22 ? t("felt.push_22") : t("felt.dealer_bust", {total});
}

/** What a hand or a side bet came to, in words, and with wagers in money: "WINS +$15". */
export function resultElement(result, sign, t) {
  if (!result.outcome) return null;
  const net = result.net === null ? null : element("span", "money", signed(result.net, sign.currency, t.lang));
  return element("p", `result ${result.outcome}`, t(`felt.${result.outcome}`), net ? " " : "", net);
}

export function wagerElement(result, sign, t) {
  if (result.wager === null) return null;
  return element("span", "wager money", money(result.wager, sign.currency, t.lang));
}

/** A side bet or insurance: its name, what lies on it, what it came to or has paid so far. */
export function sideBetElement(bet, sign, t) {
  const paid = bet.paid === null ? null : element("span", "money", t("felt.paid", {amount: signed(bet.paid, sign.currency, t.lang)}));
  return element("li", "side-bet", element("span", "title", bet.title), wagerElement(bet, sign, t), paid, resultElement(bet, sign, t));
}
