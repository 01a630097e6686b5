// The overlay of a studio: dealer and hands in front of the picture, as late as ?delay=SECONDS says. The table keeps the
// delay, so that nothing can be here before its time. Blank wherever it is not certain that this is how things are.

import {get} from "/pages/api.js";
import {cardRow, dealerTotal, element, resultElement, totalWords, wagerElement} from "/pages/felt.js";
import {money} from "/pages/money.js";
import {watch} from "/pages/stream.js";
import {chosenLanguage, texts} from "/pages/texts.js";

const AGAIN_MS = 1000;
const $ = (id) => document.getElementById(id);
const t = await texts(chosenLanguage(), ["overlay", "felt"]);

let sign = null;
let boot = "";
let state = null;
let stale = true;

watch({
  delay: delay(),
  onState(now, meta) {
    state = now;
    if (meta && meta.boot !== boot) readSign(meta.boot);
    draw();
  },
  onStale(level) {
    stale = level > 0;
    draw();
  },
});

function delay() {
  const asked = Number(new URLSearchParams(location.search).get("delay") ?? 0);
  return Number.isFinite(asked) ? Math.min(300, Math.max(0, Math.ceil(asked))) : 0;
}

async function readSign(of) {
  boot = of;
  sign = null;
  try {
    sign = await get("/api/v1/sign");
    draw();
  } catch {
    setTimeout(() => boot === of && readSign(of), AGAIN_MS);
  }
}

function draw() {
  const shown = state && sign && !stale && state.phase !== "closed";
  $("overlay").hidden = !shown;
  if (!shown) {
    for (const id of ["dealer", "seats", "limits"]) $(id).replaceChildren();
    return;
  }
  const main = state.limits.find((each) => each.bet === "main");
  const cash = (text) => money(text, sign.currency, t.lang);
  $("limits").textContent = main ? t("overlay.limits", {min: cash(main.min), max: cash(main.max)}) : "";
  $("dealer").replaceChildren(...dealer());
  $("seats").replaceChildren(...state.hands.map(hand));
}

function dealer() {
  if (!state.dealer) return [];
  const total = dealerTotal(state.dealer, sign, t);
  const parts = [element("h2", "who", t("felt.dealer")), cardRow(state.dealer)];
  return total ? [...parts, element("p", "total", total)] : parts;
}

function hand(each) {
  const total = totalWords(each.total, t);
  const line = element("p", "line", total ? element("span", "total", total) : null, wagerElement(each, sign, t));
  const made = element("section", "seat", element("h2", "who", nameOf(each)), cardRow(each), line);
  made.classList.toggle("in-turn", state.turn[0] === each.seat && state.turn[1] === each.hand);
  const result = resultElement(each, sign, t);
  if (result) made.append(result);
  return made;
}

function nameOf({seat, hand}) {
  const split = state.hands.filter((each) => each.seat === seat).length > 1;
  return split ? t("felt.seat_hand", {seat, hand}) : t("felt.seat", {seat});
}
