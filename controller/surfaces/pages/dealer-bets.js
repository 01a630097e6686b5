// A seat's bet between rounds: chips that add up, side bets, the same again. The limits are the table's to keep.

import {add, compare} from "/pages/dealer-amounts.js";
import {button, element, relabel} from "/pages/dealer-dom.js";
import {send, table} from "/pages/dealer-table.js";
import {onTap} from "/pages/dealer-taps.js";
import {money} from "/pages/money.js";

const MAIN = "main";
const MOST_CHIPS = 6; // buttons in a row

/** Opens the sheet of a seat. Without wagers a tap on a free seat is its bet already. */
export function openBet(t, sheet, seat) {
  const {layout, public: shown} = table.view;
  const taken = shown.seats.find((each) => each.seat === seat);
  const sides = Object.keys(layout.side_bets);
  if (!layout.wagers && (!taken || !sides.length)) {
    send(() => (taken ? {input: "seat", seat, taken: false} : {input: "wager", seat, amount: null, side: {}}));
    return;
  }
  const bets = new Map([[MAIN, taken?.wager ?? (layout.wagers ? "0" : null)]]);
  for (const each of sides) bets.set(each, taken?.side[each]); // undefined: it has none; null: one without an amount
  const form = new Form(t, layout, shown, bets);
  const place = button(t("dealer.bet.place"), {kind: "main", key: "Enter", name: "place-bet"});
  const leave = button(t("dealer.bet.leave"), {key: "X", name: "leave-seat"});
  const enter = async () => {
    const {amount, side} = form.wager();
    if (await send(() => ({input: "wager", seat, amount, side}))) sheet.close();
  };
  const go = async () => {
    if (await send(() => ({input: "seat", seat, taken: false}))) sheet.close();
  };
  onTap(place, "place bet", enter);
  onTap(leave, "leave seat", go);
  if (!taken) leave.disabled = true;
  sheet.open({
    name: "bet",
    kind: "bets",
    title: t("dealer.seat", {seat}),
    parts: [form.rows, form.chips, element("div", {class: "row end"}, leave, place)],
    keys: {Enter: enter, x: go, ...form.keys},
  });
}

/** The bets of one seat while they are made: which one the chips go to, and how much each is. */
class Form {
  constructor(t, layout, shown, bets) {
    this.t = t;
    this.layout = layout;
    this.bets = bets;
    this.chosen = MAIN;
    this.lines = new Map();
    this.rows = element("div", {class: "row bets-of-seat"});
    for (const bet of bets.keys()) {
      const line = button("", {name: `bet-${bet}`});
      onTap(line, `bet ${bet}`, () => this.choose(bet));
      this.lines.set(bet, line);
      this.rows.append(line);
    }
    this.limits = new Map(shown.limits.map((each) => [each.bet, each]));
    this.keys = {};
    this.chips = layout.wagers ? this.chipRow() : element("div", {class: "row"});
    this.draw();
  }

  chipRow() {
    const chips = [...this.layout.chips].sort(compare).slice(-MOST_CHIPS);
    const made = chips.map((chip, at) => {
      const words = money(chip, this.layout.currency, this.t.lang);
      const each = button(words, {kind: "chip", key: String(at + 1), name: `chip-${chip}`});
      const put = () => this.set(add(this.bets.get(this.chosen) ?? "0", chip));
      onTap(each, `chip ${chip}`, put);
      this.keys[String(at + 1)] = put;
      return each;
    });
    const least = button(this.t("dealer.bet.min"), {name: "bet-min"});
    const none = button(this.t("dealer.bet.clear"), {key: "C", name: "bet-clear"});
    const clear = () => this.set(this.chosen === MAIN ? "0" : undefined);
    onTap(least, "bet min", () => this.set(this.limits.get(this.chosen)?.min ?? chips[0] ?? "1"));
    onTap(none, "bet clear", clear);
    this.keys.c = clear;
    return element("div", {class: "row chips"}, ...made, least, none);
  }

  choose(bet) {
    if (!this.layout.wagers && bet !== MAIN) this.bets.set(bet, this.bets.get(bet) === undefined ? null : undefined);
    else this.chosen = bet;
    this.draw();
  }

  set(amount) {
    this.bets.set(this.chosen, amount);
    this.draw();
  }

  wager() {
    const side = {};
    for (const [bet, amount] of this.bets) {
      if (bet !== MAIN && amount !== undefined && amount !== "0") side[bet] = amount;
    }
    return {amount: this.bets.get(MAIN), side};
  }

  words(amount) {
    if (amount === undefined) return "–";
    return amount === null ? "✓" : money(amount, this.layout.currency, this.t.lang);
  }

  draw() {
    for (const [bet, line] of this.lines) {
      const amount = this.bets.get(bet);
      const title = bet === MAIN ? this.t("dealer.bet.main") : this.layout.side_bets[bet];
      const limits = this.limits.get(bet)?.words ?? "";
      relabel(line, `${title}: ${this.words(amount)}`, {hint: limits});
      line.classList.toggle("chosen", this.layout.wagers ? bet === this.chosen : amount !== undefined);
      line.setAttribute("aria-pressed", line.classList.contains("chosen"));
    }
  }
}
