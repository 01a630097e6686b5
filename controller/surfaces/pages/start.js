// The start page: how the table is, who is signed in here, and every other page with its address and QR code.

import {get} from "/pages/api.js";
import {element} from "/pages/felt.js";
import {showCodes} from "/pages/hotspot.js";
import {money} from "/pages/money.js";
import {sayer} from "/pages/said.js";
import {watch} from "/pages/stream.js";
import {texts} from "/pages/texts.js";

// Each page, and who must sign in to use it. The demo's own page is there only where a demo runs.
const SURFACES = [
  ["/sign", ""],
  ["/board", ""],
  ["/dealer", "dealer"],
  ["/pit", "supervisor"],
  ["/overlay", ""],
  ["/docs", ""],
];

const READERS = ["sheet", "dealer", "technician", "engineer"]; // each has a document, in English

const $ = (id) => document.getElementById(id);
const t = await texts();
const say = await sayer(t);
let sign = null;

$("surfaces").replaceChildren(...SURFACES.map(([path, role]) => surface(path, role)));
$("readers").replaceChildren(t("start.read"), ...READERS.map(reader));
$("languages").replaceChildren(...languages());
drawWho();
showCodes($("codes"), {place: "start", t});

watch({
  async onState(state) {
    $("table").textContent = state.table;
    sign ??= await get("/api/v1/sign").catch(() => null);
    drawStatus(state);
  },
  onStale(level, since) {
    $("stale").textContent = level ? t("common.stale", {time: t.time(since)}) : "";
  },
});

function drawStatus(state) {
  const main = state.limits.find((each) => each.bet === "main");
  const cash = (text) => money(text, sign?.currency ?? "", t.lang);
  const lines = [
    ["start.game", state.game],
    ["start.phase", t(`start.${state.phase}`)],
    ["start.waiting", say(state.awaiting) || "–"],
    ["start.round", state.round || "–"],
    ["start.limits", main ? t("start.range", {min: cash(main.min), max: cash(main.max)}) : "–", "money"],
    ["start.shoe", shoeWords(state.shoe)],
  ];
  $("status").replaceChildren(
    ...lines.map(([key, words, kind = ""]) =>
      element("div", "", element("dt", "", t(key)), element("dd", "", element("span", kind, String(words)))),
    ),
  );
}

function shoeWords({number, cards_out: out, cards}) {
  return number ? t("start.cards", {out, cards}) : t("start.no_shoe");
}

function surface(path, role) {
  const name = path.slice(1);
  const link = element("a", "", t(`start.${name}`));
  link.href = path + location.search;
  const url = element("a", "url", location.origin, document.createElement("wbr"), path);
  url.href = link.href;
  const code = element("img", "");
  code.src = `/pages/qr.svg?path=${encodeURIComponent(path)}`;
  code.alt = t("start.qr", {url: location.origin + path});
  const made = element(
    "li",
    "surface",
    element("h2", "", link),
    element("p", "for", t(`start.for_${name}`)),
    role ? element("p", "needs", t(`start.needs_${role}`)) : null,
    url,
    code,
  );
  made.id = `surface-${name}`;
  return made;
}

function reader(name) {
  const link = element("a", "", t(`start.read_${name}`));
  link.href = `/docs/${name}`;
  return element("span", "", " ", link);
}

async function drawWho() {
  const who = await get("/api/v1/session").catch(() => null);
  const link = element("a", "button", who?.name ? t("start.sign_out") : t("start.sign_in"));
  link.href = "/sign-in";
  const words = who?.name ? t("start.signed_in", {name: who.name, role: t(`start.role_${who.role}`)}) : "";
  $("who").replaceChildren(...(words ? [words, " "] : []), link);
}

function languages() {
  return [
    ["en", "English"],
    ["es", "Español"],
  ].map(([lang, name]) => {
    const link = element("a", "", name);
    link.href = `/?lang=${lang}`;
    link.lang = lang;
    return element("span", "", link, " ");
  });
}
