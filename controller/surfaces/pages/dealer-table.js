// The table as this console knows it, and the one way in: entries go one after another, in the order of the taps.

import {enter, get} from "/pages/api.js";

const NEWS_MS = 800; // for the new state to come behind an entry; the line is the same one, so it nearly always does

export const table = {view: null, number: 0, lang: "en", who: {role: "", name: ""}};

let waiting = 0;
let line = Promise.resolve();
let arrived = () => {};
let refused = () => {};

/** `words => …` is told what the table refuses. */
export function onRefusal(tell) {
  refused = tell;
}

export function news(view, number) {
  table.view = view;
  table.number = number;
  arrived();
}

/**
 * Enters what `make(view)` gives: an input, or null where it means nothing. A tap that finds another still on its way
 * is made of the table as that one leaves it, so "stand" and "hit" in quick succession are for two hands.
 */
export function send(make) {
  const now = waiting === 0 ? make(table.view) : undefined;
  waiting++;
  const turn = line.then(async () => {
    const input = now === undefined ? make(table.view) : now;
    if (!input) return false;
    const before = table.number;
    const answer = await enter(input);
    if (!answer.ok) refused(answer.problem);
    else if (answer.changed && table.number === before) await newsOrTime();
    return answer.ok;
  });
  line = turn.catch((error) => console.error(error)).finally(() => waiting--);
  return line;
}

/** Whether no entry is on its way. */
export function idle() {
  return waiting === 0;
}

function newsOrTime() {
  return new Promise((done) => {
    const late = setTimeout(done, NEWS_MS);
    arrived = () => {
      clearTimeout(late);
      done();
    };
  });
}

/** Who uses this console. One that can't say is let in by the stream or not at all. */
export async function askWho() {
  try {
    table.who = await get("/api/v1/session");
  } catch {
    table.who = {role: "", name: ""};
  }
}

/** Whether what needs a supervisor can be done here. */
export function maySupervise() {
  return table.view.layout.lone_dealer || table.who.role !== "dealer";
}
