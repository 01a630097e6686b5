// The table as it is now, kept up to date over the WebSocket of the stream. Never gives up; asks for nothing else.
//
// How fresh the page is also stands on <html>: data-stale="0|1|2" and data-simulated, so that base.css can show it.

const AMBER_MS = 3000; // three beats of the table
const COVER_MS = 10000;
const LOOK_MS = 250;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;

/**
 * @param {{view?: string, delay?: number, onState?: function, onStale?: function}} wishes
 *   onState(state, meta): after every change; meta is {boot, number, view, simulated}. `view` there is what was given,
 *   which is "public" for a browser that may not see more. onStale(level, since): 0 fresh, 1 after 3 s of silence, 2 after
 *   10 s; since is the moment of the last news.
 *   delay: seconds that everything comes later, kept by the table; then a lost line gives onState(null, null).
 * @returns {{close: function, now: function}} now() is the table's own clock, in seconds.
 */
export function watch({view = "public", delay = 0, onState = () => {}, onStale = () => {}}) {
  let socket = null;
  let state = null;
  let meta = null;
  let heard = performance.now(); // also of the last attempt to connect, where nothing was heard yet
  let tried = heard;
  let wait = FIRST_WAIT_MS;
  let again = 0;
  let level = -1;
  let ahead = 0; // of our clock, in seconds
  let closed = false;

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const query = new URLSearchParams({view});
    if (delay) query.set("delay", delay);
    // The numbers count one view: those of another, given before somebody signed in, say nothing.
    if (meta && meta.view === view) query.set("since", `${meta.boot}:${meta.number}`);
    tried = performance.now();
    const mine = new WebSocket(`${scheme}://${location.host}/api/v1/stream?${query}`);
    socket = mine;
    mine.onmessage = ({data}) => mine === socket && hear(JSON.parse(data));
    mine.onclose = () => mine === socket && lost();
  }

  function lost() {
    socket = null;
    if (closed) return;
    if (delay && meta) {
      meta = state = null; // what was missed comes late: until then nobody knows how things were
      onState(state, meta);
    }
    clearTimeout(again);
    again = setTimeout(connect, wait * (0.75 + Math.random() / 2)); // not all screens of a house at once
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }

  function startAfresh() {
    const old = socket;
    lost();
    old?.close();
  }

  function hear(message) {
    heard = performance.now();
    wait = FIRST_WAIT_MS;
    if (message.type === "beat") {
      ahead = message.at - Date.now() / 1000;
    } else if (message.type === "snapshot") {
      const {boot, number, view: given, simulated} = message;
      meta = Object.freeze({boot, number, view: given, simulated});
      state = message.state;
      document.documentElement.toggleAttribute("data-simulated", simulated);
      onState(state, meta);
    } else if (message.type === "change") {
      if (!meta || message.number !== meta.number + 1) {
        meta = null; // something was missed: the whole view again
        startAfresh();
        return;
      }
      meta = Object.freeze({...meta, number: message.number});
      state = Object.assign({}, state, message.set);
      onState(state, meta);
    }
    look();
  }

  function look() {
    const silent = performance.now() - heard;
    const now = silent >= COVER_MS ? 2 : silent >= AMBER_MS ? 1 : 0;
    if (now !== level) {
      level = now;
      document.documentElement.dataset.stale = level;
      onStale(level, new Date(Date.now() - silent));
    }
    // A line that was cut without a word stays open for ever.
    if (socket && silent >= COVER_MS && performance.now() - tried >= COVER_MS) startAfresh();
  }

  const looking = setInterval(look, LOOK_MS);
  connect();
  look();
  return {
    close() {
      closed = true;
      clearInterval(looking);
      clearTimeout(again);
      socket?.close();
    },
    now: () => Date.now() / 1000 + ahead,
  };
}
