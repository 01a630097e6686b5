// A past round, step by step: the felt, who did what when, what sign and board showed. Imports nothing, because the
// file that is kept of a round holds this very text.

const LONGEST_STEP_MS = 2500; // nobody waits through a player's thinking
const SHORTEST_STEP_MS = 700; // nor misses a card that came fast
const SPEEDS = [1, 2, 4];

/**
 * Builds the player in `root`. `told` is GET /api/v1/rounds/N/playback; `t` gives words by key ("playback.…"), the
 * others are those of cards.js and money.js. Returns {stop}: call it before the root is used for something else.
 */
export function play(root, told, {t, lang, cardElement, money, signed}) {
  const frames = told.frames;
  const coins = {money: (text) => money(text, told.currency, lang), signed: (text) => signed(text, told.currency, lang)};
  let at = 0;
  let timer = 0;
  let speed = SPEEDS[0];

  const felt = make("div", "playback-felt");
  const now = make("div", "playback-now");
  now.setAttribute("aria-live", "polite");
  const shown = make("dl", "playback-shown");
  const list = make("ol", "playback-steps");
  const lines = frames.map((frame, index) => stepLine(frame, index));
  list.append(...lines.map((line) => line.item));
  const slider = make("input", "playback-slider");
  Object.assign(slider, {type: "range", min: 0, max: frames.length - 1, step: 1, value: 0});
  slider.setAttribute("aria-label", t("playback.place"));
  slider.addEventListener("input", () => (pause(), show(Number(slider.value))));
  const place = make("span", "playback-place");
  const playing = control("playback.play", () => (timer ? pause() : run()), "playback-play main");
  const faster = control("playback.speed", nextSpeed, "playback-speed");
  const controls = make("div", "playback-controls");
  controls.append(
    control("playback.first", () => (pause(), show(0)), "playback-first", "|◀"),
    control("playback.back", () => (pause(), show(at - 1)), "playback-back", "◀"),
    playing,
    control("playback.forward", () => (pause(), show(at + 1)), "playback-forward", "▶"),
    slider,
    place,
    faster,
  );
  const head = make("header", "playback-head");
  head.append(make("h2", "", t("playback.title", {round: told.round, table: told.table})), make("span", "quiet", told.game), make("span", "quiet", day(frames[0].at)));
  if (told.status === "void") head.append(make("strong", "playback-void", t("playback.void")));
  if (told.simulated) head.append(make("strong", "playback-simulated", t("playback.simulated")));
  const stage = make("div", "playback-stage");
  stage.tabIndex = 0; // it may scroll, also by keys
  stage.append(now, felt, shown);
  root.classList.add("playback");
  root.replaceChildren(head, stage, list, controls);
  root.addEventListener("keydown", onKey);
  show(0);

  function show(index) {
    at = Math.max(0, Math.min(frames.length - 1, index));
    const frame = frames[at];
    slider.value = at;
    slider.setAttribute("aria-valuetext", t("playback.step", {step: at + 1, steps: frames.length}));
    place.textContent = `${t("playback.step", {step: at + 1, steps: frames.length})} · ${clock(frame.at)}`;
    lines.forEach(({button}, each) => button.setAttribute("aria-current", each === at ? "step" : "false"));
    lines[at].item.scrollIntoView({block: "nearest"});
    now.replaceChildren(make("span", "quiet", `${clock(frame.at)} · ${frame.who}`), ...words(frame));
    felt.replaceChildren(...feltOf(frame.felt, at > 0 ? frames[at - 1].felt : null));
    shown.replaceChildren(...display("playback.sign", frame.sign), ...display("playback.board", frame.board));
  }

  function run() {
    if (at === frames.length - 1) show(0);
    playing.textContent = t("playback.pause");
    next();
  }

  function next() {
    if (at === frames.length - 1) return pause();
    const gap = Date.parse(frames[at + 1].at) - Date.parse(frames[at].at);
    const wait = Math.min(LONGEST_STEP_MS, Math.max(SHORTEST_STEP_MS, Number.isFinite(gap) ? gap : 0)) / speed;
    timer = setTimeout(() => (show(at + 1), next()), wait);
  }

  function pause() {
    clearTimeout(timer);
    timer = 0;
    playing.textContent = t("playback.play");
  }

  function nextSpeed() {
    speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
    faster.textContent = `${speed}×`;
  }

  function onKey(event) {
    if (event.target === slider) return;
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    pause();
    show(at + step);
  }

  function stepLine(frame, index) {
    const item = make("li");
    const button = make("button", `playback-line kind-${frame.kind}`);
    button.type = "button";
    const time = make("time", "quiet", clock(frame.at));
    time.dateTime = frame.at;
    button.append(time, make("span", "playback-who", frame.who), make("span", "playback-words", frame.words.join(" ")));
    button.title = `${frame.at} · ${t("playback.record", {record: frame.sequence})}`;
    button.addEventListener("click", () => (pause(), show(index)));
    item.append(button);
    return {item, button};
  }

  function words(frame) {
    return frame.words.map((sentence) => make("p", `kind-${frame.kind}`, sentence));
  }

  function feltOf(lies, before) {
    const parts = [];
    const dealer = make("section", "playback-dealer");
    dealer.append(make("h3", "", t("playback.dealer")), cards(lies.dealer, before?.dealer));
    parts.push(dealer);
    const seats = make("div", "playback-seats");
    for (const hand of lies.hands) {
      const old = before?.hands.find((each) => each.seat === hand.seat && each.hand === hand.hand);
      seats.append(seat(hand, old, lies));
    }
    parts.push(seats);
    if (lies.burned.length) {
      const burned = make("section", "playback-burned");
      burned.append(make("h3", "", t("playback.burned")), row(lies.burned, before?.burned ?? []));
      parts.push(burned);
    }
    const waits = lies.awaiting ? t("playback.waiting", {who: lies.awaiting}) : "";
    parts.push(make("p", "playback-awaiting quiet", waits));
    return parts;
  }

  function seat(hand, old, lies) {
    const box = make("section", "playback-hand");
    const several = lies.hands.filter((each) => each.seat === hand.seat).length > 1;
    const name = t(several ? "playback.hand" : "playback.seat", {seat: hand.seat, hand: hand.hand});
    box.append(make("h3", "", name));
    if (hand.wager !== null) box.append(make("span", "playback-wager", t("playback.bet", {amount: coins.money(hand.wager)})));
    box.append(cards(hand, old));
    if (hand.outcome) box.append(result(hand, hand.net));
    const bets = hand.hand === 1 ? lies.side_bets.filter((each) => each.seat === hand.seat) : [];
    for (const bet of bets) {
      const line = make("p", "playback-side", `${bet.title} ${bet.wager === null ? "" : coins.money(bet.wager)}`.trim());
      if (bet.outcome) line.append(" ", result(bet, bet.net));
      box.append(line);
    }
    return box;
  }

  function result(bet, net) {
    const box = make("strong", `playback-result is-${bet.outcome}`, outcomeWords(bet.outcome));
    if (net !== null) box.append(` ${coins.signed(net)}`);
    box.title = bet.why;
    return box;
  }

  function outcomeWords(outcome) {
    return t(`playback.outcome.${outcome}`);
  }

  function cards(hand, old) {
    const box = make("div", "playback-cards");
    if (!hand) return box;
    box.append(row(hand.cards, old?.cards ?? []));
    if (hand.total) box.append(make("span", "playback-total", hand.total.replace("soft", t("playback.soft"))));
    return box;
  }

  /** A card that was not there a step before, or not face up, or another one, is marked. */
  function row(codes, before) {
    const box = make("div", "playback-row");
    codes.forEach((code, index) => {
      const card = cardElement(code);
      card.classList.toggle("is-new", index >= before.length || before[index] !== code);
      box.append(card);
    });
    return box;
  }

  function display(key, texts) {
    const lines = Object.values(texts).map((text) => text.line);
    const page = Object.values(texts).map((text) => text.page);
    const what = make("dd", "", lines.join(" / ") || "—");
    what.title = page.join("\n");
    return [make("dt", "quiet", t(key)), what];
  }

  function control(key, act, name, sign = "") {
    const button = make("button", name, sign || (key === "playback.speed" ? `${SPEEDS[0]}×` : t(key)));
    button.type = "button";
    if (sign) button.setAttribute("aria-label", t(key));
    else button.title = t(key);
    button.addEventListener("click", act);
    return button;
  }

  function clock(wall) {
    const moment = new Date(wall);
    return Number.isNaN(moment.valueOf()) ? wall : moment.toLocaleTimeString(lang, {hour12: false});
  }

  function day(wall) {
    const moment = new Date(wall);
    return Number.isNaN(moment.valueOf()) ? "" : moment.toLocaleString(lang, {dateStyle: "long"});
  }

  function make(tag, name = "", text = "") {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text) element.textContent = text;
    return element;
  }

  return {stop: pause};
}
