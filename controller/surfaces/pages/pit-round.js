// The round in play as the dealer sees it, and what only a supervisor does to it: void, correct, exchange.

import {cardElement} from "/pages/cards.js";
import {element} from "/pages/dealer-dom.js";
import {onHold} from "/pages/dealer-taps.js";

const RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"];
const SUITS = ["S", "H", "D", "C"];

let house = null;
let parts = null;
let shownRound = 0; // which round's cards are offered; 0: the newest
let chosen = []; // places of cards, in the order they were chosen
let drawn = "";

export const roundTab = {
  name: "round",
  badge: ({dealer}) => (dealer.question ? "?" : ""),

  open(panel, given) {
    house = given;
    [shownRound, chosen, drawn] = [0, [], ""];
    parts = {
      talk: element("div", {class: "talk", "aria-live": "polite"}),
      which: element("div", {class: "which", role: "group", "aria-label": house.t("pit.round.which")}),
      felt: element("div", {class: "felt"}),
      correct: correctForm(),
      void: voidForm(),
    };
    panel.append(
      element("h2", {class: "seen-by-readers-only"}, house.t("pit.tab.round")),
      element("div", {class: "column"}, parts.talk, parts.which, parts.felt),
      element("div", {class: "column side"}, parts.correct.box, parts.void.box),
    );
  },

  show(state) {
    const words = JSON.stringify([state.dealer, state.correctable]);
    if (words === drawn) return;
    drawn = words;
    talk(state);
    const rounds = state.correctable.map((each) => each.round);
    if (!rounds.includes(shownRound)) [shownRound, chosen] = [rounds[0] ?? 0, []];
    which(rounds, state);
    felt(state);
    parts.correct.show();
    parts.void.show(state.dealer.legal.includes("void"));
  },

  close() {},
};

function talk({dealer}) {
  const {t, say} = house;
  const lines = [element("p", {class: "coach"}, say(dealer.coach.say))];
  if (dealer.question) lines.unshift(element("p", {class: "asked"}, t("pit.round.asks", {asks: say(dealer.question.asks)})));
  for (const [device, words] of Object.entries(dealer.faults)) {
    lines.push(element("p", {class: "asked"}, `${device}: ${words}`));
  }
  parts.talk.replaceChildren(...lines);
}

function which(rounds, state) {
  const buttons = rounds.map((round) => {
    const key = state.dealer.public.phase === "playing" && round === rounds[0] ? "pit.round.this" : "pit.round.last";
    const button = element("button", {type: "button", "aria-pressed": String(round === shownRound)}, house.t(key, {round}));
    button.addEventListener("click", () => {
      [shownRound, chosen, drawn] = [round, [], ""];
      roundTab.show(house.state());
    });
    return button;
  });
  parts.which.replaceChildren(...buttons);
}

/** By hands, with each card a button by which it is corrected. */
function felt(state) {
  const {t, say} = house;
  const found = state.correctable.find((each) => each.round === shownRound);
  if (!found) {
    parts.felt.replaceChildren(element("p", {class: "quiet"}, t("pit.round.none")));
    return;
  }
  const seen = state.dealer.public;
  const now = seen.round === shownRound; // only then the view has totals, bets and results of it
  const boxes = [];
  for (const name of [...new Set(found.cards.map((each) => `${each.seat}/${each.hand}`))].sort()) {
    const [seat, hand] = name.split("/").map(Number);
    const cards = found.cards.filter((each) => each.seat === seat && each.hand === hand);
    const several = found.cards.some((each) => each.seat === seat && each.hand !== hand);
    const lies = seat ? seen.hands.find((each) => each.seat === seat && each.hand === hand) : seen.dealer;
    const title = seat ? t(several ? "playback.hand" : "playback.seat", {seat, hand}) : t("playback.dealer");
    boxes.push(
      element(
        "section",
        {class: seat ? "hand" : "hand dealers"},
        element("h3", {}, title),
        element("div", {class: "cards"}, ...cards.map(cardButton)),
        now && lies ? handWords(lies, seat) : "",
      ),
    );
  }
  const waits = now && seen.phase === "playing" ? t("playback.waiting", {who: say(seen.awaiting)}) : "";
  parts.felt.replaceChildren(...boxes, element("p", {class: "quiet awaiting"}, waits));
}

function handWords(lies, seat) {
  const {t} = house;
  return element(
    "p",
    {class: "hand-words"},
    lies.total ? element("strong", {}, lies.total.replace("soft", t("playback.soft"))) : "",
    seat && lies.wager !== null ? element("span", {class: "money"}, t("playback.bet", {amount: house.money(lies.wager)})) : "",
    lies.outcome
      ? element("strong", {class: `money is-${lies.outcome}`}, `${t(`playback.outcome.${lies.outcome}`)} ${lies.net === null ? "" : house.signed(lies.net)}`)
      : "",
  );
}

function cardButton(each) {
  const {t} = house;
  const whose = each.seat ? t("playback.seat", {seat: each.seat}) : t("playback.dealer");
  const button = element(
    "button",
    {
      type: "button",
      class: `pick${each.burned ? " burned" : ""}`,
      "aria-pressed": String(chosen.includes(each.place)),
      "data-place": each.place,
    },
    cardElement(each.card),
    element("span", {class: "place"}, `${each.place}${each.by_hand ? " ✎" : ""}`),
    element("span", {class: "seen-by-readers-only"}, whose),
  );
  const name = each.card === null ? t("pit.round.face_down") : each.card;
  button.title = [t("pit.round.card", {place: each.place, card: name, whose}), each.by_hand ? t("pit.round.by_hand") : ""]
    .filter(Boolean)
    .join("; ");
  button.addEventListener("click", () => {
    chosen = chosen.includes(each.place) ? chosen.filter((place) => place !== each.place) : [...chosen, each.place].slice(-2);
    for (const other of parts.felt.querySelectorAll(".pick")) {
      other.setAttribute("aria-pressed", String(chosen.includes(Number(other.dataset.place))));
    }
    parts.correct.show();
  });
  return button;
}

function correctForm() {
  const {t} = house;
  let [rank, suit] = ["", ""];
  const words = element("p", {class: "quiet"});
  const ranks = element("div", {class: "picker ranks", role: "group", "aria-label": t("pit.correct.rank")});
  const suits = element("div", {class: "picker suits", role: "group", "aria-label": t("pit.correct.suit")});
  const go = element("button", {type: "button", class: "main"});
  const said = element("div", {class: "difference", role: "status"});
  const box = element("section", {class: "panel"}, element("h2", {}, t("pit.correct.title")), words, ranks, suits, go, said);
  for (const each of RANKS) ranks.append(choice(each === "T" ? "10" : each, () => (rank = rank === each ? "" : each)));
  for (const each of SUITS) {
    const button = choice("", () => (suit = suit === each ? "" : each));
    button.append(element("span", {class: "suit"}, {S: "♠", H: "♥", D: "♦", C: "♣"}[each]), ` ${each}`);
    suits.append(button);
  }
  go.addEventListener("click", send);

  function choice(label, choose) {
    const button = element("button", {type: "button", "aria-pressed": "false"}, label);
    button.addEventListener("click", () => (choose(), show()));
    return button;
  }

  function show() {
    const one = chosen.length === 1;
    words.textContent = t(`pit.correct.${["none", "one", "two"][chosen.length]}`, {place: chosen[0], other: chosen[1]});
    ranks.hidden = suits.hidden = !one;
    [...ranks.children].forEach((each, index) => each.setAttribute("aria-pressed", String(RANKS[index] === rank)));
    [...suits.children].forEach((each, index) => each.setAttribute("aria-pressed", String(SUITS[index] === suit)));
    const card = `${rank === "T" ? "10" : rank || "–"}${suit || "–"}`;
    go.textContent = chosen.length === 2 ? t("pit.correct.exchange", {place: chosen[0], other: chosen[1]}) : t("pit.correct.go", {card});
    go.hidden = !chosen.length;
    go.disabled = one && !(rank && suit);
  }

  async function send() {
    const [place, other] = chosen;
    const round = shownRound;
    const input = other ? {input: "exchange", round, place, other} : {input: "correct", round, place, card: rank + suit};
    go.disabled = true;
    const taken = await house.enter(input);
    if (taken) {
      [rank, suit, chosen, drawn] = ["", "", [], ""];
      await tellDifference(said, round);
    }
    if (parts) roundTab.show(house.state());
    show();
  }

  return {box, show};
}

/** What changes hands by the newest correction of a round; of one in play that is known when it is over. */
async function tellDifference(said, round) {
  const {t} = house;
  const seen = house.state().dealer.public;
  if (seen.phase === "playing" && seen.round === round) {
    said.replaceChildren(element("p", {}, t("pit.correct.in_play")));
    return;
  }
  const told = await house.get(`/api/v1/rounds/${round}/playback`);
  const newest = told?.frames.filter((frame) => frame.kind === "correction").at(-1);
  if (!newest) return;
  const lines = Object.entries(newest.difference).map(([seat, amount]) => {
    const [key, worth] = amount.startsWith("-") ? ["pit.correct.take", amount.slice(1)] : ["pit.correct.pay", amount];
    return element("p", {class: "money"}, t(key, {seat, amount: house.money(worth)}));
  });
  said.replaceChildren(
    element("h3", {}, t("pit.correct.done", {round})),
    ...(lines.length ? lines : [element("p", {}, t("pit.correct.no_money"))]),
  );
}

function voidForm() {
  const {t} = house;
  const reason = element("input", {type: "text", id: "void-reason", maxlength: 200, autocomplete: "off"});
  const kinds = ["returned", "settled_stand"].map((bets, index) => {
    const radio = element("input", {type: "radio", name: "void-bets", value: bets, checked: index === 0});
    return element("label", {class: "choice"}, radio, t(`pit.void.${bets}`));
  });
  const go = element("button", {type: "button", class: "danger"}, t("pit.void.hold"));
  const box = element(
    "section",
    {class: "panel void"},
    element("h2", {}, t("pit.void.title")),
    element("label", {for: "void-reason"}, t("pit.reason")),
    reason,
    element("fieldset", {}, element("legend", {class: "quiet"}, t("pit.void.bets")), ...kinds),
    go,
  );
  onHold(go, "void", async () => {
    if (!reason.value.trim()) {
      house.notice(t("pit.reason_missing"), "bad");
      reason.focus();
      return;
    }
    const bets = box.querySelector("input[type=radio]:checked").value;
    if (await house.enter({input: "void", reason: reason.value.trim(), bets})) {
      reason.value = "";
      house.notice(t("pit.void.done"));
    }
  });
  return {box, show: (possible) => (go.disabled = !possible)};
}
