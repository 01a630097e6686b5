// The limit sign. Keeps the last limits when the table is silent, and says since when; everything else it shows is live.

import {get} from "/pages/api.js";
import {money} from "/pages/money.js";
import {sayer} from "/pages/said.js";
import {watch} from "/pages/stream.js";
import {texts} from "/pages/texts.js";

const INK = 0.355; // of the height: how high a digit is, a little more than the 35 % that it must have
const COLUMN = 0.66; // of the width: as far as the amounts go where there is a column beside them
const SQUEEZE = 0.75; // digits that would have to be narrower than this take the whole width
const AGAIN_MS = 1000;

const $ = (id) => document.getElementById(id);
const sign = $("sign");
const t = await texts();
const say = await sayer(t);

let words = null; // what the sign says beside the limits
let boot = "";
let state = null;
let silentSince = null;

const table = watch({
  onState(now, meta) {
    state = previewed(now);
    if (meta.boot !== boot) readWords(meta.boot);
    draw();
  },
  onStale(level, since) {
    silentSince = level ? since : null;
    draw();
  },
});
setInterval(drawState, 1000); // the countdown
addEventListener("resize", fit);

/** As it would be with other limits, inside the pit page only: ?preview=main&min=25&max=1000. A sign on a wall is true. */
function previewed(now) {
  const asked = new URLSearchParams(parent === window ? "" : location.search);
  const other = {min: asked.get("min"), max: asked.get("max"), next: ""};
  const limits = now.limits.map((each) => (each.bet === asked.get("preview") ? {...each, ...other} : each));
  return asked.has("preview") ? {...now, limits} : now;
}

/** Again after every start of the table: its rules may be others. */
async function readWords(of) {
  boot = of;
  try {
    words = await get("/api/v1/sign");
  } catch {
    setTimeout(() => boot === of && readWords(of), AGAIN_MS);
    return;
  }
  draw();
}

function draw() {
  drawState();
  if (!state || !words) return;
  $("game").textContent = words.game;
  $("table").textContent = words.table;
  const main = limitsOf("main");
  $("limits").hidden = !main;
  sign.classList.toggle("bare", !main);
  if (main) {
    $("min").replaceChildren(...figures(money(main.min, "", t.lang)));
    $("max").replaceChildren(...figures(money(main.max, "", t.lang)));
    for (const each of sign.querySelectorAll(".currency")) each.textContent = words.currency;
  }
  $("worth").hidden = words.money === "cash";
  if (words.money !== "cash") $("worth").textContent = t(`sign.${words.money}`);
  $("bets").replaceChildren(...words.side_bets.map(betItem));
  $("rules").replaceChildren(...words.lines.map((line) => item(say(line))));
  fit();
}

function drawState() {
  const name = condition();
  const coming = state?.limits.filter((each) => each.next) ?? [];
  const before = $("state").textContent.length + $("change").textContent.length;
  sign.dataset.state = name;
  $("state").textContent = t(`sign.${name}`, {whom: state?.reserved});
  if (silentSince) $("state").append(since());
  $("change").hidden = coming.length === 0;
  $("change").textContent = coming.map(changeWords).join(" · ");
  if ($("state").textContent.length + $("change").textContent.length !== before) fit();
}

/** What the sign says of itself, by the name of its text. */
function condition() {
  if (silentSince || !state) return "not_connected";
  if (state.phase === "closed") return state.reserved ? "reserved" : "closed";
  if (state.shoe.cut_card && state.phase === "playing") return "last_round";
  return state.limits.some((each) => each.next) ? "changing" : "open";
}

function since() {
  const line = document.createElement("span");
  line.className = "since";
  line.textContent = " " + t("sign.since", {time: t.time(silentSince)});
  return line;
}

function changeWords(limit) {
  const [, least, most] = /^(\S+) to (\S+)/.exec(limit.next);
  const next = t("sign.range", {min: cash(least), max: cash(most)});
  const bet = limit.bet === "main" ? "" : `${titleOf(limit.bet)} `;
  return bet + t(`sign.${whenOf(limit)}`, {next, time: countdown(limit.due)});
}

function whenOf(limit) {
  if (limit.policy === "next_round") return "from_next_round";
  if (limit.policy === "next_shoe") return "from_next_shoe";
  return limit.due > table.now() ? "in_time" : "from_next_round"; // when its time has come it waits for the round
}

function countdown(due) {
  const seconds = Math.max(0, Math.ceil(due - table.now()));
  const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600];
  const clock = [Math.floor(rest / 60), rest % 60].map((each) => String(each).padStart(2, "0")).join(":");
  return hours ? `${hours}:${clock}` : clock;
}

function betItem(bet) {
  const element = item(say(bet.line));
  const limit = limitsOf(bet.bet);
  if (limit) {
    const range = document.createElement("span");
    range.className = "range";
    range.textContent = t("sign.range", {min: cash(limit.min), max: cash(limit.max)});
    element.append(" ", range);
  }
  return element;
}

function item(text) {
  const element = document.createElement("li");
  element.textContent = text;
  return element;
}

/** The digits as they are, and what sets them apart smaller: a comma as large as they are would hang into the next line. */
function figures(text) {
  return text.split(/(\D)/).map((part) => {
    if (/^\d*$/.test(part)) return part;
    const mark = document.createElement("span");
    mark.className = "mark";
    mark.textContent = part;
    return mark;
  });
}

const limitsOf = (bet) => state.limits.find((each) => each.bet === bet);
const titleOf = (bet) => words.side_bets.find((each) => each.bet === bet)?.title ?? bet;
const cash = (text) => money(text, words?.currency ?? "", t.lang);

// Sizes: the digits first, by their ink; then the other words as large as what is left lets them be.

function fit() {
  if (!words || !state) return;
  fitAmounts([$("min"), $("max")]);
  largest($("state"), "--state", 0.015 * innerHeight, 0.046 * innerHeight);
  largest($("game"), "--game", 0.02 * innerHeight, 0.062 * innerHeight);
  largest(sign.querySelector(".rest"), "--rest", 8, ($("limits").hidden ? 0.075 : 0.05) * innerHeight);
}

function fitAmounts(amounts) {
  const size = (INK * innerHeight) / inkOfADigit();
  for (const each of amounts) {
    each.style.fontSize = `${size}px`;
    each.style.transform = "";
    each.parentElement.style.width = "";
  }
  const widest = Math.max(...amounts.map((each) => each.offsetWidth));
  const left = amounts[0].getBoundingClientRect().left;
  const wide = widest * SQUEEZE > COLUMN * sign.offsetWidth - left;
  sign.classList.toggle("wide", wide && !$("limits").hidden);
  const squeeze = Math.min(1, ((wide ? 0.98 : COLUMN) * sign.offsetWidth - left) / widest);
  if (squeeze === 1) return;
  for (const each of amounts) {
    each.style.transform = `scaleX(${squeeze})`;
    each.parentElement.style.width = `${each.offsetWidth * squeeze}px`;
  }
}

function inkOfADigit() {
  const pen = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle($("min"));
  pen.font = `${style.fontWeight} 1000px ${style.fontFamily}`;
  const {actualBoundingBoxAscent: above, actualBoundingBoxDescent: below} = pen.measureText("1");
  return (above + below) / 1000;
}

/** The largest size, in pixels, at which the element holds all that is in it. */
function largest(element, property, low, high) {
  for (let step = 0; step < 8; step++) {
    const middle = (low + high) / 2;
    element.style.setProperty(property, `${middle}px`);
    if (element.scrollHeight > element.clientHeight || element.scrollWidth > element.clientWidth) high = middle;
    else low = middle;
  }
  element.style.setProperty(property, `${low * 0.98}px`); // widths are told in whole pixels
}
