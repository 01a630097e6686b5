// What a closed table's day came to, and "safe to unplug": said only while the table itself has just said so.

import {get} from "/pages/api.js";
import {element} from "/pages/dealer-dom.js";
import {signed} from "/pages/money.js";

const AGAIN_MS = 1000;
const LASTS_MS = 5000; // an answer that is older is not relied on: the plug may be pulled on it

/** Fills `box` while the table is closed. Returns {show(phase), stale(level)}; `t` has the texts of "pack-down". */
export function packDown(t, box) {
  let closed = false;
  let fresh = true;
  let asking = false;
  let told = null;
  let heard = 0;

  async function ask() {
    if (!closed || asking) return;
    asking = true;
    const began = performance.now();
    try {
      [told, heard] = [await get("/api/v1/pack-down"), began];
    } catch {
      told = null; // nobody knows, and nothing is promised
    }
    asking = false;
    draw();
  }

  function draw() {
    const shown = closed && told?.closed && told.day;
    box.hidden = !shown;
    if (!shown) return;
    const safe = told.safe && fresh && performance.now() - heard < LASTS_MS;
    const wanted = JSON.stringify([told, safe]);
    if (box.dataset.drawn === wanted) return;
    box.dataset.drawn = wanted;
    box.classList.toggle("safe", safe);
    box.replaceChildren(
      element("h2", {}, t("pack-down.title")),
      element("p", {class: "plug", role: "status"}, safe ? t("pack-down.safe") : t("pack-down.wait")),
      element("ul", {}, ...lines(told).map((words) => element("li", {}, words))),
    );
  }

  function lines({day, currency, alerts}) {
    const found = [t("pack-down.rounds", day)];
    if (day.seconds !== null) {
      const minutes = String(Math.floor(day.seconds / 60) % 60).padStart(2, "0");
      found.push(t("pack-down.hours", {hours: Math.floor(day.seconds / 3600), minutes}));
    }
    if (day.voided) found.push(t("pack-down.voided", day));
    found.push(t("pack-down.cards", day));
    for (const seat of day.seats) {
      const net = seat.net === null ? "" : signed(seat.net, currency, t.lang);
      found.push(t(seat.net === null ? "pack-down.seat_played" : "pack-down.seat", {...seat, net}));
    }
    for (const fault of day.faults) found.push(t("pack-down.fault", fault));
    for (const words of Object.values(alerts)) found.push(t("pack-down.alert", {words}));
    return found;
  }

  setInterval(() => {
    ask();
    draw();
  }, AGAIN_MS);

  return {
    show(phase) {
      const now = phase === "closed";
      if (now !== closed) told = null;
      closed = now;
      draw();
      ask();
    },
    stale(level) {
      fresh = level === 0;
      draw();
    },
  };
}
