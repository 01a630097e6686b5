// The pit page: a frame of tabs around one stream. What a tab shows and enters is in its own module, pit-*.js.
//
// A tab is {name, badge(state), open(panel, house), show(state), close()}. `show` is called after every change, and only
// while the tab is open; it must leave alone what somebody is typing into.

import {enter, get} from "/pages/api.js";
import {element} from "/pages/dealer-dom.js";
import {money, signed} from "/pages/money.js";
import {packDown} from "/pages/pack-down.js";
import {alertsTab} from "/pages/pit-alerts.js";
import {devicesTab} from "/pages/pit-devices.js";
import {historyTab} from "/pages/pit-history.js";
import {limitsTab} from "/pages/pit-limits.js";
import {roundTab} from "/pages/pit-round.js";
import {sayer} from "/pages/said.js";
import {watch} from "/pages/stream.js";
import {chosenLanguage, texts} from "/pages/texts.js";

const NOTICE_MS = 5000;
const SUPERVISES = ["supervisor", "owner"];
const TABS = [roundTab, limitsTab, alertsTab, devicesTab, historyTab];

const at = (id) => document.getElementById(id);
const t = await texts(chosenLanguage(), ["pit", "playback", "pack-down"]);
const say = await sayer(t, ["coach", "said"]);
const dayEnd = packDown(t, at("pack-down"));
let stream = null;
let state = null;
let open = null;
let hiding = 0;

/** What tabs need of the page. */
const house = {
  t,
  say,
  lang: t.lang,
  state: () => state,
  now: () => stream.now(),
  money: (text) => money(text, state?.dealer.layout.currency, t.lang),
  signed: (text) => signed(text, state?.dealer.layout.currency, t.lang),
  notice,
  /** Enters it; a refusal is told. Resolves whether it was taken. */
  async enter(input) {
    const answer = await enter(input);
    if (!answer.ok) notice(answer.problem.detail, "bad");
    return answer.ok;
  },
  /** A document of the API, or null, and then it is told why. */
  async get(path) {
    try {
      return await get(path);
    } catch (error) {
      notice(error.problem?.detail ?? String(error), "bad");
      return null;
    }
  },
};

document.title = t("pit.title");
at("tabs").append(...TABS.map(tabButton));
at("tabs").addEventListener("keydown", besideTab);
addEventListener("hashchange", () => state && openTab(wanted()));
begin();

async function begin() {
  const who = await get("/api/v1/session").catch(() => null);
  if (who && !SUPERVISES.includes(who.role)) return gate(who);
  if (who) at("who").textContent = t("pit.who", who);
  stream ??= watch({view: "supervisor", onState, onStale});
}

function onState(news, meta) {
  if (meta.view !== "supervisor") return gate({role: "viewer", name: ""});
  state = news;
  const {public: seen, alerts} = state.dealer;
  at("gate").hidden = true;
  at("tabs").hidden = at("panel").hidden = false;
  at("where").textContent = `${t("pit.title")} · ${seen.table} · ${seen.game}`;
  at("round").textContent = t(`pit.phase.${seen.phase}`, {round: seen.round, waits: say(seen.awaiting)});
  alarm(alerts);
  dayEnd.show(seen.phase);
  for (const tab of TABS) {
    const count = tab.badge(state);
    const badge = at(`tab-${tab.name}`).querySelector(".badge");
    badge.textContent = count || "";
    badge.hidden = !count;
  }
  if (!open) openTab(wanted());
  else open.show(state);
}

function onStale(level, since) {
  dayEnd.stale(level);
  at("stale").textContent = level ? t("common.stale", {time: t.time(since)}) : "";
  if (level === 2) begin(); // a session that has ended is let in no more, and the stream can't say so
}

function gate({role, name}) {
  state = null;
  open?.close();
  open = null;
  dayEnd.show("");
  stream?.close();
  stream = watch({onState: (seen) => (at("where").textContent = `${t("pit.title")} · ${seen.table}`)});
  at("tabs").hidden = at("panel").hidden = at("alarm").hidden = true;
  at("gate-words").textContent = role === "viewer" ? t("pit.gate.viewer") : t("pit.gate.other", {role, name});
  at("gate").hidden = false;
}

/** Stays until somebody acknowledges it, on every tab. */
function alarm(alerts) {
  const [first] = Object.entries(alerts);
  at("alarm").hidden = !first;
  const more = Object.keys(alerts).length - 1;
  const words = first ? t("pit.alarm", {number: first[0], words: first[1]}) : "";
  const go = element("button", {type: "button"}, t("pit.alarm.see"));
  go.addEventListener("click", () => (location.hash = alertsTab.name));
  if (at("alarm").dataset.words !== words + more) {
    at("alarm").dataset.words = words + more;
    at("alarm").replaceChildren(
      element("strong", {}, words),
      more > 0 ? element("span", {}, t("pit.alarm.more", {more})) : "",
      go,
    );
  }
}

function wanted() {
  return TABS.find((tab) => tab.name === location.hash.slice(1).split("/")[0]) ?? TABS[0];
}

function openTab(tab) {
  if (open === tab) return;
  open?.close();
  open = tab;
  for (const each of TABS) {
    at(`tab-${each.name}`).setAttribute("aria-selected", String(each === tab));
    at(`tab-${each.name}`).tabIndex = each === tab ? 0 : -1;
  }
  at("panel").setAttribute("aria-labelledby", `tab-${tab.name}`);
  at("panel").className = `tab-${tab.name}`;
  at("panel").replaceChildren();
  tab.open(at("panel"), house);
  tab.show(state);
}

function tabButton(tab) {
  const button = element(
    "button",
    {type: "button", role: "tab", id: `tab-${tab.name}`, "aria-controls": "panel"},
    t(`pit.tab.${tab.name}`),
    element("span", {class: "badge", hidden: true}),
  );
  button.addEventListener("click", () => (location.hash = tab.name));
  return button;
}

function besideTab(event) {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!step) return;
  const next = TABS[(TABS.indexOf(open) + step + TABS.length) % TABS.length];
  location.hash = next.name;
  at(`tab-${next.name}`).focus();
}

function notice(words, kind = "good") {
  at("notice").textContent = words;
  at("notice").className = `notice ${kind}`;
  at("notice").hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (at("notice").hidden = true), NOTICE_MS);
}
