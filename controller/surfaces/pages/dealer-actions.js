// The bar: undo in its corner, each action in its own place, and the one step that leads on. Only what is legal shows.

import {button, byId, relabel} from "/pages/dealer-dom.js";
import {idle, send, table} from "/pages/dealer-table.js";
import {isNew, onTap} from "/pages/dealer-taps.js";

// Keep and roll over come only behind a power double, when nothing else may be done; each still has one place for ever.
const PLACES = {
  hit: [2, "h"],
  rollover: [2, "l"],
  stand: [3, "s"],
  keep: [3, "k"],
  double: [4, "d"],
  split: [5, "p"],
  surrender: [6, "r"],
  power_split: [7, "o"],
  power_double: [7, "w"],
};
export const STEPS = {
  open_table: {input: "open_table"},
  shoe_loaded: {input: "shoe", action: "load"},
  shoe_verified: {input: "shoe", action: "verified"},
  shoe_counted: {input: "shoe", action: "counted"},
  open_round: {input: "open_round"},
  insurance_closed: {input: "close_offer"},
  surrender_closed: {input: "close_offer"},
  peek: {input: "peek"},
  turn_hole_card: {input: "turn_hole_card"},
  settle: {input: "settle"},
};

/** @param others {nameCard, movedOn}. Returns {show, keys}. */
export function bar(t, say, others) {
  const actions = new Map();
  const undo = place(button("", {kind: "undo", name: "undo"}), 1);
  const next = place(button("", {kind: "next main", name: "next"}), 8);
  let seen = ""; // whose turn it was when the finger came down

  for (const [action, [column, key]] of Object.entries(PLACES)) {
    const made = place(button(t(`dealer.action.${action}`), {key: key.toUpperCase(), name: action}), column);
    made.addEventListener("pointerdown", () => (seen = turnOf(table.view)));
    onTap(made, action, () => {
      const moved = seen && idle() && seen !== turnOf(table.view);
      seen = "";
      if (moved) others.movedOn(); // the tap was meant for the hand that was in turn then
      else decide(action);
    });
    actions.set(action, made);
  }
  onTap(undo, "undo", takeBack);
  onTap(next, "next", goOn);

  function decide(action) {
    send((view) => {
      if (!view.actions.includes(action)) {
        others.movedOn();
        return null;
      }
      const [seat, hand] = view.public.turn;
      return {input: "decision", seat, hand, action};
    });
  }

  function takeBack() {
    send((view) => (view.undo ? {input: "undo"} : view.take_back ? {input: "take_back"} : null));
  }

  function goOn() {
    if (namesByHand(table.view)) others.nameCard();
    else send((view) => STEPS[view.coach.step] ?? null);
  }

  function show(view) {
    for (const [action, made] of actions) made.hidden = !view.actions.includes(action);
    const words = view.undo || (view.take_back ? t("dealer.undo.card") : "");
    const label = view.undo || !view.take_back ? "dealer.undo" : "dealer.take_back";
    relabel(undo, t(label), {hint: say(words), key: words ? "U" : ""});
    undo.disabled = !words;
    const step = namesByHand(view) ? "name_card" : view.coach.step;
    relabel(next, step ? t(`dealer.step.${step}`) : t(waitsFor(view)), {key: step ? "Enter" : ""});
    next.disabled = !step;
    next.classList.toggle("main", Boolean(step));
  }

  function keys() {
    const back = () => tapped(undo, takeBack);
    const found = {Enter: () => tapped(next, goOn), Backspace: back, u: back};
    for (const [action, [, key]] of Object.entries(PLACES)) {
      const made = actions.get(action);
      if (!made.hidden) found[key] = () => isNew(action) && tapped(made, () => decide(action));
    }
    return found;
  }

  return {show, keys};
}

/** While the shoe is set aside its cards are named by hand. */
function namesByHand(view) {
  const {legal, coach, actions, faults, holding} = view;
  return legal.includes("card") && !coach.step && !actions.length && "shoe" in faults && !holding.length;
}

function waitsFor(view) {
  if (view.question) return "dealer.waits.answer";
  if (view.actions.length) return "dealer.waits.decision";
  return view.coach.seat === null ? "dealer.waits.bets" : "dealer.waits.card";
}

function turnOf(view) {
  return view.public.turn.join("/");
}

function place(made, column) {
  made.style.gridColumn = column;
  byId("bar").append(made);
  return made;
}

function tapped(made, act) {
  if (made.disabled) return;
  made.classList.add("pressed");
  setTimeout(() => made.classList.remove("pressed"), 180);
  act();
}
