// The result board: the round as it is played and what it came to. A card that lies face down is a back and nothing else.

import {get} from "/pages/api.js";
import {cardElement} from "/pages/cards.js";
import {cardRow, dealerTotal, element, resultElement, sideBetElement, totalWords, wagerElement} from "/pages/felt.js";
import {sayer} from "/pages/said.js";
import {watch} from "/pages/stream.js";
import {chosenLanguage, texts} from "/pages/texts.js";

const AGAIN_MS = 1000;
const RECENT = 10;

const $ = (id) => document.getElementById(id);
const t = await texts(chosenLanguage(), ["board", "felt"]);
const say = await sayer(t);

let sign = null;
let boot = "";
let state = null;

watch({
  onState(now, meta) {
    state = now;
    if (meta.boot !== boot) readSign(meta.boot);
    draw();
  },
  onStale(level, since) {
    $("stale").textContent = level ? t("common.stale", {time: t.time(since)}) : "";
  },
});
addEventListener("resize", fitSeats);

async function readSign(of) {
  boot = of;
  try {
    sign = await get("/api/v1/sign");
    draw();
  } catch {
    setTimeout(() => boot === of && readSign(of), AGAIN_MS);
  }
}

function draw() {
  if (!state || !sign) return;
  $("game").textContent = `${state.game} · ${state.table}`;
  $("round").textContent = state.round ? t("board.round", {number: state.round}) : "";
  $("waiting").textContent = waiting();
  $("dealer").replaceChildren(...dealer());
  $("seats").replaceChildren(...seats());
  $("shoe").replaceChildren(...shoe());
  $("recent").replaceChildren(...recent());
  fitSeats();
}

function waiting() {
  if (state.phase === "closed") return t("board.closed");
  if (state.phase === "betting") return t("board.place_bets");
  return state.awaiting ? t("board.waiting", {what: say(state.awaiting)}) : "";
}

function dealer() {
  const name = element("h2", "who", t("felt.dealer"));
  if (!state.dealer) return [name, element("div", "cards", element("span", "card card-place"))];
  const total = dealerTotal(state.dealer, sign, t);
  const burned = state.burned.map((code) => cardElement(code));
  return [
    name,
    cardRow(state.dealer),
    total ? element("p", "total", total) : null,
    burned.length ? element("div", "burned", element("span", "quiet", t("board.burned")), ...burned) : null,
  ].filter(Boolean);
}

function seats() {
  const numbers = new Set([...state.seats, ...state.hands].map((each) => each.seat));
  return [...numbers].sort((one, other) => one - other).map(seat);
}

function seat(number) {
  const hands = state.hands.filter((each) => each.seat === number);
  const bets = state.side_bets.filter((each) => each.seat === number);
  const made = element("section", "seat", element("h2", "who", t("felt.seat", {seat: number})));
  made.classList.toggle("in-turn", state.turn[0] === number);
  made.append(...(hands.length ? hands.map((each) => hand(each, hands.length)) : [placed(number)]));
  if (bets.length) made.append(element("ul", "side-bets", ...bets.map((each) => sideBetElement(each, sign, t))));
  return made;
}

function hand(each, of) {
  const made = element("div", "hand", cardRow(each));
  const total = totalWords(each.total, t);
  const line = element("p", "line", total ? element("span", "total", total) : null, wagerElement(each, sign, t));
  made.classList.toggle("in-turn", of > 1 && state.turn[0] === each.seat && state.turn[1] === each.hand);
  made.append(line);
  const result = resultElement(each, sign, t);
  if (result) made.append(result, element("p", "why", say(each.why)));
  return made;
}

/** A seat before its cards come: its wager, if it has one. */
function placed(number) {
  const bet = state.seats.find((each) => each.seat === number);
  return element("div", "hand", element("div", "cards", element("span", "card card-place")), wagerElement(bet, sign, t));
}

function shoe() {
  const {cards_out: out, cards, cut_card: cut, change_due: due} = state.shoe;
  const bar = element("div", "bar", element("span", "out"));
  bar.firstChild.style.width = cards ? `${Math.min(100, (100 * out) / cards)}%` : "0";
  const words = due ? t("board.shoe_change") : cut ? t("board.cut_card_out") : t("board.shoe", {out, cards});
  return [element("p", cut || due ? "words cut" : "words", words), bar];
}

function recent() {
  const rounds = state.recent.slice(-RECENT).reverse();
  if (!rounds.length) return [];
  return [element("h2", "who", t("board.recent")), element("ol", "rounds", ...rounds.map(past))];
}

function past(round) {
  const dealer = round.dealer ? totalWords(round.dealer, t) : "–";
  const hands = round.hands.map((each) =>
    element("span", `past ${each.outcome}`, `${each.seat} `, t(`felt.short_${each.outcome}`)),
  );
  const head = element("span", "past-head", `${round.number}: ${t("felt.dealer")} ${dealer}`);
  return element("li", "past-round", head, ...hands);
}

/** Cards as large as lets all seats be seen. */
function fitSeats() {
  const grid = $("seats");
  let [low, high] = [6, 40];
  for (let step = 0; step < 8; step++) {
    const middle = (low + high) / 2;
    grid.style.setProperty("--size", `${middle}px`);
    if (grid.scrollHeight > grid.clientHeight || grid.scrollWidth > grid.clientWidth) high = middle;
    else low = middle;
  }
  grid.style.setProperty("--size", `${low}px`);
}
