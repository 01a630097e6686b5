// The rounds that are over, the newest first, and each of them step by step.

import {cardElement} from "/pages/cards.js";
import {element} from "/pages/dealer-dom.js";
import {money, signed} from "/pages/money.js";
import {play} from "/pages/playback.js";

const PAGE = 20;

let house = null;
let panel = null;
let rows = null;
let oldest = 0;
let newest = "";
let player = null;

export const historyTab = {
  name: "history",
  badge: () => "",

  open(given, its) {
    [panel, house] = [given, its];
    addEventListener("hashchange", turn);
    turn();
  },

  /** The list is fetched again when a round has ended or was corrected since. */
  show({dealer}) {
    if (!rows) return;
    const last = JSON.stringify([dealer.public.recent, dealer.public.phase]);
    if (last !== newest) {
      newest = last;
      list();
    }
  },

  close() {
    removeEventListener("hashchange", turn);
    player?.stop();
    [player, rows] = [null, null];
  },
};

/** #history is the list, #history/12 one round. */
function turn() {
  const [tab, number] = location.hash.slice(1).split("/");
  if (tab !== historyTab.name) return;
  player?.stop();
  [player, rows] = [null, null];
  if (number) showRound(number);
  else showList();
}

function showList() {
  const {t} = house;
  const heads = ["number", "when", "status", "net", "corrected"].map((name) => element("th", {scope: "col"}, t(`pit.history.${name}`)));
  rows = element("tbody");
  const more = element("button", {type: "button"}, t("pit.history.older"));
  more.addEventListener("click", () => list(oldest));
  panel.replaceChildren(
    element("h2", {}, t("pit.history.title")),
    element("table", {class: "rounds"}, element("thead", {}, element("tr", {}, ...heads, element("td"))), rows),
    more,
  );
  newest = "";
  historyTab.show(house.state());
}

async function list(before = 0) {
  const told = await house.get(`/api/v1/rounds?limit=${PAGE}${before ? `&before=${before}` : ""}`);
  if (!told || !rows) return;
  const made = told.rounds.map(line);
  if (before) rows.append(...made);
  else rows.replaceChildren(...(made.length ? made : [element("tr", {}, element("td", {colspan: 6, class: "quiet"}, house.t("pit.history.none")))]));
  oldest = told.rounds.at(-1)?.number ?? oldest;
  panel.lastElementChild.hidden = told.rounds.length < PAGE;
}

function line(each) {
  const {t} = house;
  const go = element("a", {class: "button", href: `#history/${each.number}`}, t("pit.history.play"));
  go.setAttribute("aria-label", t("pit.history.play_round", {round: each.number}));
  const status = each.status === "void" ? t("pit.history.void", {reason: each.void_reason}) : t("pit.history.ended");
  return element(
    "tr",
    {"data-round": each.number},
    element("td", {}, `${each.number}`),
    element("td", {}, new Date(each.began).toLocaleString(house.lang, {dateStyle: "medium", timeStyle: "medium", hourCycle: "h23"})),
    element("td", {class: each.status === "void" ? "bad" : ""}, status),
    element("td", {class: "money"}, nets(each.net)),
    element("td", {class: "money"}, each.corrected ? `${each.corrected} × ${nets(each.difference)}` : ""),
    element("td", {}, go),
  );
}

function nets(net) {
  const seats = Object.entries(net).filter(([, amount]) => amount !== null);
  return seats.map(([seat, amount]) => house.t("pit.history.seat", {seat, amount: house.signed(amount)})).join(", ");
}

async function showRound(number) {
  const {t} = house;
  const stage = element("div");
  const back = element("a", {class: "button", href: "#history"}, t("pit.history.back"));
  const keep = element(
    "a",
    {class: "button main", href: `/api/v1/rounds/${number}/playback.html?lang=${house.lang}`, download: `round-${number}.html`},
    t("pit.history.keep"),
  );
  panel.replaceChildren(element("div", {class: "over"}, back, keep), stage);
  const told = await house.get(`/api/v1/rounds/${number}/playback`);
  if (!told || !stage.isConnected) return;
  player = play(stage, told, {t, lang: house.lang, cardElement, money, signed});
  stage.querySelector(".playback-play").focus();
}
