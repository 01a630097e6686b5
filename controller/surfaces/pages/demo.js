// The demo's page: the table's own pages in panes, and a shoe whose cards, faults and plug are buttons.
import { texts } from "./texts.js";

const FRAMES = ["sign", "board", "dealer"];
const $ = (id) => document.getElementById(id);
let t = (key) => key;
let shown = "";

async function order(body) {
  try {
    const answer = await fetch("/demo/do", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const said = await answer.json();
    $("said").textContent = said.error || said.words || "";
  } catch {
    $("said").textContent = t("demo.no_answer");
  }
  await refresh();
}

async function slowly(button, body, words) {
  button.disabled = true;
  $("said").textContent = words;
  await order(body);
  button.disabled = false;
}

function show(state) {
  const current = state.games.find((each) => each.game === state.game);
  $("example").textContent = current ? `${t("demo.first_round")} ${current.title}` : "";
  if (state.running && shown !== `${state.game} ${state.url}`) {
    shown = `${state.game} ${state.url}`;
    for (const name of FRAMES) $(name).src = `${state.url}/${name}`;
    $("games").replaceChildren(...state.games.map((each) => gameButton(each, state.game)));
  }
  $("shoe-count").textContent = state.stopped
    ? t("demo.stopped", { why: state.stopped })
    : t("demo.count", { left: state.left, dealt: state.dealt });
  $("bot").setAttribute("aria-pressed", String(state.bot));
  $("bot").textContent = t(state.bot ? "demo.bot_stop" : "demo.bot_start");
  for (const button of $("faults").children) {
    if (button.dataset.fault in state.faults) button.setAttribute("aria-pressed", String(state.faults[button.dataset.fault]));
  }
  const pins = Object.entries(state.pins).flatMap(([role, pin]) => [element("dt", t(`demo.${role}`)), element("dd", pin)]);
  $("pins").replaceChildren(...pins);
}

function gameButton(each, current) {
  const button = element("button", each.name);
  button.setAttribute("aria-pressed", String(each.game === current));
  button.addEventListener("click", () => slowly(button, { do: "game", game: each.game }, t("demo.changing")));
  return button;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

async function refresh() {
  try {
    show(await (await fetch("/demo/state")).json());
  } catch {
    $("said").textContent = t("demo.no_answer");
  }
}

function faultButton(name) {
  const button = element("button", t(`demo.${name}`));
  button.dataset.fault = name;
  button.addEventListener("click", () =>
    name === "reboot"
      ? order({ do: "reboot" })
      : order({ do: "fault", name, on: button.getAttribute("aria-pressed") !== "true" }),
  );
  return button;
}

t = await texts(undefined, ["demo"]);
$("band").textContent = t("demo.band");
for (const name of [...FRAMES, "shoe"]) $(`${name}-title`).textContent = t(`demo.${name}_title`);
$("faults-title").textContent = t("demo.faults_title");
$("deal").textContent = t("demo.deal");
$("power").textContent = t("demo.power");
const faults = ["misread", "double_feed", "backfeed", "bit_flip", "drop", "garbage", "stall", "unplug", "reboot"];
$("faults").replaceChildren(...faults.map(faultButton));
$("deal").addEventListener("click", () => order({ do: "deal" }));
$("bot").addEventListener("click", () => order({ do: "bot", on: $("bot").getAttribute("aria-pressed") !== "true" }));
$("power").addEventListener("click", () => slowly($("power"), { do: "power" }, t("demo.dark")));
await refresh();
setInterval(refresh, 1000);
