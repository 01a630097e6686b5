// The dealer's console: joins the parts to the stream and shows one state at a time. The table says what is legal.

import {half} from "/pages/dealer-amounts.js";
import {bar} from "/pages/dealer-actions.js";
import {openBet} from "/pages/dealer-bets.js";
import {coach, payMark} from "/pages/dealer-coach.js";
import {byId} from "/pages/dealer-dom.js";
import {felt} from "/pages/dealer-felt.js";
import {menu} from "/pages/dealer-menu.js";
import {question} from "/pages/dealer-question.js";
import {sheets} from "/pages/dealer-sheet.js";
import {askWho, news, onRefusal, send, table} from "/pages/dealer-table.js";
import {onKeys} from "/pages/dealer-taps.js";
import {money} from "/pages/money.js";
import {packDown} from "/pages/pack-down.js";
import {sayer} from "/pages/said.js";
import {watch} from "/pages/stream.js";
import {chosenLanguage, texts} from "/pages/texts.js";

const NOTICE_MS = 6000;

const t = await texts(chosenLanguage(), ["dealer", "pack-down"]);
const say = await sayer(t, ["coach", "said"]);
const sheet = sheets(t);
const screens = menu(t, sheet);
const said = coach(t, say, {menu: () => (sheet.isOpen() ? sheet.close() : screens.openMenu()), changed: show});
const asked = question(t, say, screens);
const actions = bar(t, say, {nameCard: screens.nameCard, movedOn: () => notice(t("dealer.moved_on"))});
const dayEnd = packDown(t, byId("pack-down"));
const showFelt = felt(t, tapSeat);
let hide = 0;

onRefusal((problem) => (problem.code === "supervisor_only" ? screens.needsSupervisor() : notice(problem.detail)));
onKeys(keysNow);
await askWho();
watch({
  view: "dealer",
  onState(state, meta) {
    const mine = meta.view === "dealer";
    byId("sign-in").hidden = mine;
    document.body.classList.toggle("before", !mine);
    if (!mine) {
      table.view = null;
      return;
    }
    const came = table.view === null;
    news(state, `${meta.boot}:${meta.number}`);
    byId("notice").hidden = true; // it was about a table that is another one now
    if (came) askWho().then(show);
    show();
  },
  onStale(level, since) {
    dayEnd.stale(level);
    byId("stale").textContent = level ? t("common.stale", {time: t.time(since)}) : "";
  },
});

function show() {
  const {view} = table;
  if (!view) return;
  if (view.question && !asked.isOpen()) sheet.close();
  strip(view);
  said.show(view);
  asked.show(view);
  showFelt(view, marks(view));
  actions.show(view);
  dayEnd.show(view.public.phase);
}

function strip(view) {
  const {table: name, game, round, phase, shoe, net} = view.public;
  byId("where").textContent = `${name} · ${game}`;
  const shown = phase === "playing" || Object.keys(net).length > 0;
  byId("round").textContent = shown ? t("dealer.round", {round}) : "";
  const out = shoe.number ? t("dealer.shoe", {out: shoe.cards_out, cards: shoe.cards}) : t("dealer.no_shoe");
  byId("shoe").textContent = view.last_round_of_shoe ? `${out} · ${t("dealer.last_round")}` : out;
  const alerts = Object.values(view.alerts);
  const faults = Object.entries(view.faults).map(([device, words]) => `${device}: ${words}`);
  byId("trouble").textContent = [...alerts.map((words) => t("dealer.alert", {words})), ...faults].join(" · ");
  byId("trouble").classList.toggle("bad", alerts.length > 0);
  byId("who").textContent = table.who.name ? `${table.who.name} (${table.who.role})` : "";
}

/** What is written on the seats beside their cards, and which of them may be tapped. */
function marks(view) {
  const found = new Map();
  const {public: shown, layout, legal} = view;
  if (shown.phase === "betting" && legal.includes("wager")) {
    for (let seat = 1; seat <= layout.seats; seat++) found.set(seat, {words: "", tap: true, kind: ""});
  }
  for (const hand of shown.hands) {
    if (mayInsure(view, hand.seat)) found.set(hand.seat, {words: insuranceWords(hand, layout), tap: true, kind: "tap"});
    if (maySurrender(view, hand)) found.set(hand.seat, {words: t("dealer.tap.surrender"), tap: true, kind: "tap"});
  }
  const due = said.due(view);
  if (due) found.set(due.seat, {...payMark(t, due, layout.currency), tap: found.get(due.seat)?.tap ?? false});
  return found;
}

function insuranceWords(hand, {currency}) {
  return t("dealer.tap.insurance", {amount: hand.wager === null ? "" : money(half(hand.wager), currency, t.lang)});
}

function mayInsure({legal, public: shown}, seat) {
  return legal.includes("insurance") && !shown.side_bets.some((each) => each.seat === seat && each.bet === "insurance");
}

function maySurrender({coach: told}, hand) {
  return told.step === "surrender_closed" && !hand.outcome;
}

function tapSeat(seat) {
  const {public: shown} = table.view;
  if (shown.phase === "betting") {
    openBet(t, sheet, seat);
    return;
  }
  send((view) => {
    const hand = view.public.hands.find((each) => each.seat === seat);
    if (!hand) return null;
    if (mayInsure(view, seat)) return {input: "insurance", seat, amount: hand.wager === null ? null : half(hand.wager)};
    return maySurrender(view, hand) ? {input: "decision", seat, hand: 1, action: "surrender"} : null;
  });
}

function keysNow() {
  if (!table.view) return {};
  if (sheet.isOpen()) return sheet.keys();
  if (asked.covers()) return asked.keys();
  const seats = {};
  for (const seat of document.querySelectorAll(".seat:not(:disabled)")) seats[seat.dataset.seat] = () => seat.click();
  return {...seats, ...said.keys(), ...actions.keys(), ...asked.keys()};
}

function notice(words) {
  clearTimeout(hide);
  byId("notice").textContent = words;
  byId("notice").hidden = false;
  hide = setTimeout(() => (byId("notice").hidden = true), NOTICE_MS);
}
