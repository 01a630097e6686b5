// Naming a card: a rank and a suit, two taps, in either order. Also by keys.

import {cardElement} from "/pages/cards.js";
import {button, element} from "/pages/dealer-dom.js";
import {onTap} from "/pages/dealer-taps.js";

const RANKS = [..."A23456789TJQK"];
const SUITS = {S: "♠", H: "♥", D: "♦", C: "♣"};

/**
 * @param named called with all cards so far whenever one more is named.
 * Returns {parts, keys, clear}: 13 buttons, 4 buttons, one that takes the last card back, and what is named so far.
 */
export function picker(t, named) {
  const cards = [];
  let rank = "";
  let suit = "";
  const shown = element("span", {class: "named"});
  const back = button(t("dealer.picker.back"), {key: "⌫", name: "picker-back"});
  const ranks = RANKS.map((each) => choice(each === "T" ? "10" : each, `rank-${each}`, () => pickRank(each)));
  const suits = Object.entries(SUITS).map(([each, sign]) =>
    choice(`${sign} ${each}`, `suit-${each}`, () => pickSuit(each)),
  );
  onTap(back, "picker back", takeBack);

  function choice(label, name, pick) {
    const made = button(label, {name});
    onTap(made, `picker ${name}`, pick);
    return made;
  }

  function pickRank(each) {
    rank = each;
    finish();
  }

  function pickSuit(each) {
    suit = each;
    finish();
  }

  function finish() {
    if (rank && suit) {
      cards.push(rank + suit);
      rank = suit = "";
      named([...cards]);
    }
    draw();
  }

  function takeBack() {
    if (rank || suit) rank = suit = "";
    else cards.pop();
    draw();
  }

  function draw() {
    const half = rank || suit ? [element("b", {class: "half"}, (rank === "T" ? "10" : rank) || SUITS[suit])] : [];
    shown.replaceChildren(...cards.map((card) => cardElement(card)), ...half);
    ranks.forEach((made, at) => made.classList.toggle("chosen", RANKS[at] === rank));
    suits.forEach((made, at) => made.classList.toggle("chosen", Object.keys(SUITS)[at] === suit));
  }

  function clear() {
    cards.length = 0;
    rank = suit = "";
    draw();
  }

  const keys = {Backspace: takeBack};
  for (const each of RANKS) keys[each.toLowerCase()] = () => pickRank(each);
  for (const each of Object.keys(SUITS)) keys[each.toLowerCase()] = () => pickSuit(each);
  keys["0"] = keys.t;
  keys["1"] = keys.t;
  return {ranks, suits, back, shown, keys, clear, cards: () => [...cards]};
}
