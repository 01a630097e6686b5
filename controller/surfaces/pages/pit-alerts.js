// Alerts: those that wait for somebody, and who saw to those before. A dealer can't dismiss one.

import {element} from "/pages/dealer-dom.js";

let house = null;
let parts = null;
let drawn = "";

export const alertsTab = {
  name: "alerts",
  badge: ({dealer}) => Object.keys(dealer.alerts).length,

  open(panel, given) {
    house = given;
    drawn = "";
    parts = {waiting: element("ul", {class: "alerts"}), past: element("tbody")};
    const {t} = house;
    const heads = ["number", "raised", "words", "seen", "by"].map((name) => element("th", {scope: "col"}, t(`pit.alerts.${name}`)));
    panel.append(
      element("h2", {}, t("pit.alerts.waiting")),
      parts.waiting,
      element("h2", {}, t("pit.alerts.past")),
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), parts.past),
    );
  },

  show({dealer}) {
    const now = JSON.stringify(dealer.alerts);
    if (now === drawn) return;
    drawn = now;
    const items = Object.entries(dealer.alerts).map(([number, words]) => waiting(Number(number), words));
    parts.waiting.replaceChildren(...(items.length ? items : [element("li", {class: "quiet"}, house.t("pit.alerts.none"))]));
    showPast();
  },

  close() {},
};

function waiting(number, words) {
  const seen = element("button", {type: "button", class: "main"}, house.t("pit.alerts.acknowledge"));
  seen.addEventListener("click", async () => {
    seen.disabled = true;
    if (!(await house.enter({input: "alert", number}))) seen.disabled = false;
  });
  return element("li", {class: "panel alert", "data-alert": number}, element("strong", {}, `${number}`), element("p", {}, words), seen);
}

async function showPast() {
  const told = await house.get("/api/v1/alerts?limit=100");
  const past = (told?.alerts ?? []).filter((each) => each.by);
  const rows = past.map((each) =>
    element(
      "tr",
      {},
      element("td", {}, `${each.number}`),
      element("td", {}, moment(each.raised)),
      element("td", {}, each.words),
      element("td", {}, moment(each.seen)),
      element("td", {}, each.by),
    ),
  );
  const none = element("tr", {}, element("td", {colspan: 5, class: "quiet"}, house.t("pit.alerts.no_past")));
  parts.past.replaceChildren(...(rows.length ? rows : [none]));
}

function moment(wall) {
  return new Date(wall).toLocaleString(house.lang, {dateStyle: "medium", timeStyle: "medium", hourCycle: "h23"});
}
