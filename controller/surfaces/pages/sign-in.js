// Signing in: a name, a PIN, and then on to the page that was wanted. Keeps names that this screen has seen, never a PIN.

import {get} from "/pages/api.js";
import {watch} from "/pages/stream.js";
import {texts} from "/pages/texts.js";

const PIN_LENGTH = 12;
const SHORTEST_PIN = 4;
const NAMES = 4; // that are offered on this screen
const KEPT = "croupier.names";
const HOME = {dealer: "/dealer", supervisor: "/pit", technician: "/", viewer: "/board"};
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ", "'", "-"];

const at = (id) => document.getElementById(id);
const [form, name, pin, said] = ["form", "name", "pin", "said"].map(at);
const t = await texts();
let busy = false;
let waitUntil = 0;
let counting = 0;
let heldName = null;

document.title = t("sign-in.title");
makePad();
makeKeyboard();
offerNames();
watch({onState: (state) => (at("table").textContent = state.table)});
get("/api/v1/session").then(showWho, () => {});
(name.value ? pin : name).focus();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn();
});
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (event.target === name) pin.focus();
  else if (event.target === pin) signIn();
  else event.target.click();
});
pin.addEventListener("input", () => (pin.value = pin.value.replace(/\D/g, "").slice(0, PIN_LENGTH)));
name.addEventListener("input", markName);
at("sign-out").addEventListener("click", async () => {
  await fetch("/api/v1/session", {method: "DELETE"}).catch(() => {});
  at("signed-in").hidden = true;
  name.focus();
});

async function signIn() {
  if (busy || performance.now() < waitUntil) return;
  if (!name.value.trim()) return complain("sign-in.no_name", name);
  if (pin.value.length < SHORTEST_PIN) return complain("sign-in.no_pin", pin);
  busy = true;
  said.textContent = "";
  const answer = await ask({name: name.value.trim(), pin: pin.value});
  busy = false;
  pin.value = "";
  if (answer.ok) {
    keepName(answer.who.name);
    location.assign(wanted(answer.who.role));
    return;
  }
  pin.focus();
  tell(answer);
}

async function ask(what) {
  try {
    const answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(what),
    });
    const made = await answer.json();
    if (answer.ok) return {ok: true, who: made};
    return {ok: false, problem: made, wait: Number(answer.headers.get("Retry-After") ?? 0)};
  } catch {
    return {ok: false, problem: {code: "no_answer"}, wait: 0};
  }
}

/** What is wrong, in words, with the wait counted down. */
function tell({problem, wait}) {
  const key = `sign-in.${problem.code}`;
  const told = t.has(key) ? t(key, {name: name.value.trim()}) : (problem.detail ?? t("sign-in.no_answer"));
  said.textContent = wait > 0 ? `${told} ${t("sign-in.wait", {time: span(wait)})}` : told;
  if (wait > 0) hold(wait);
}

/** Somebody else may try meanwhile: who must wait is the name, and the table knows better about addresses. */
function hold(seconds) {
  waitUntil = performance.now() + seconds * 1000;
  heldName = name.value.trim();
  at("ok").disabled = true;
  const count = () => {
    const left = Math.ceil((waitUntil - performance.now()) / 1000);
    if (left > 0) at("ok").textContent = span(left);
    else release(t("sign-in.again"));
  };
  counting = setInterval(count, 200);
  count();
}

function release(words) {
  clearInterval(counting);
  waitUntil = 0;
  heldName = null;
  at("ok").disabled = false;
  at("ok").textContent = t("sign-in.ok");
  said.textContent = words;
}

function complain(key, field) {
  said.textContent = t(key);
  field.focus();
}

function span(seconds) {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** ?next=/dealer, if it is a page of this table; else where the role is at home. */
function wanted(role) {
  const next = new URL(new URLSearchParams(location.search).get("next") || HOME[role] || "/", location.origin);
  if (next.origin !== location.origin) return HOME[role] ?? "/";
  if (t.lang && new URLSearchParams(location.search).has("lang")) next.searchParams.set("lang", t.lang);
  return next.pathname + next.search + next.hash;
}

function showWho(who) {
  if (who.until === null) return;
  at("who").textContent = t("sign-in.signed_in", {name: who.name, role: t(`sign-in.role_${who.role}`)});
  at("go-on").href = wanted(who.role);
  at("signed-in").hidden = false;
}

// The pad and the letters

function makePad() {
  for (const digit of "123456789") at("pad").append(key(digit, () => press(digit)));
  at("pad").append(
    key("⌫", () => (pin.value = pin.value.slice(0, -1)), "sign-in.delete"),
    key("0", () => press("0")),
    Object.assign(key(t("sign-in.ok"), signIn), {id: "ok", className: "word main"}),
  );
}

function press(digit) {
  if (pin.value.length < PIN_LENGTH) pin.value += digit;
}

function makeKeyboard() {
  const shown = () => (at("typed").textContent = name.value || "\u00a0");
  const type = (letter) => {
    // A name is found however it is written; this way it also looks like one.
    const first = !name.value || /[\s'-]$/.test(name.value);
    name.value += first ? letter : letter.toLowerCase();
    shown();
  };
  const toggle = (open) => {
    at("keyboard").hidden = !open;
    at("letters").setAttribute("aria-expanded", open);
    markName();
    shown();
    (open ? at("keys").firstElementChild : pin).focus();
  };
  for (const letter of LETTERS) at("keys").append(key(letter, () => type(letter)));
  const wide = (made) => Object.assign(made, {className: "word"});
  at("keys").append(
    wide(key(t("sign-in.space"), () => name.value && !name.value.endsWith(" ") && type(" "))),
    key("⌫", () => ((name.value = name.value.slice(0, -1)), shown()), "sign-in.delete"),
    wide(key(t("sign-in.clear"), () => ((name.value = ""), shown()))),
    Object.assign(key(t("sign-in.done"), () => toggle(false)), {className: "word main"}),
  );
  at("letters").addEventListener("click", () => toggle(true));
  at("keyboard").addEventListener("keydown", (event) => event.key === "Escape" && toggle(false));
}

function key(label, act, spoken = "") {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  if (spoken) made.setAttribute("aria-label", t(spoken));
  made.addEventListener("click", act);
  return made;
}

// Names that signed in on this screen before

function offerNames() {
  const names = keptNames();
  at("names").replaceChildren(
    ...names.map((each) =>
      key(each, () => {
        name.value = each;
        markName();
        pin.focus();
      }),
    ),
  );
  if (names.length === 1) name.value = names[0];
  markName();
}

function markName() {
  if (heldName !== null && name.value.trim() !== heldName) release("");
  for (const each of at("names").children) each.setAttribute("aria-pressed", each.textContent === name.value.trim());
}

function keptNames() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each === "string").slice(0, NAMES) : [];
  } catch {
    return []; // a browser that keeps nothing
  }
}

function keepName(newest) {
  try {
    const others = keptNames().filter((each) => each !== newest);
    localStorage.setItem(KEPT, JSON.stringify([newest, ...others].slice(0, NAMES)));
  } catch {
    // as above
  }
}
