// The coach: one sentence at every moment, why, and what is to be paid and taken, in the order of the rules.

import {byId, button, element, relabel} from "/pages/dealer-dom.js";
import {onTap} from "/pages/dealer-taps.js";
import {signed} from "/pages/money.js";

const LONG = 80; // characters that still fit in large letters

/** @param others {menu, sheet, changed}. Returns {show, due, keys}; due(view) is the payment to make now, or null. */
export function coach(t, say, others) {
  const done = new Set(); // "round number/payment number": ticked off here, and nowhere else
  let whyOpen = false;
  let current = null;
  const text = element("div", {class: "say"});
  const paid = button("", {kind: "paid", name: "paid"});
  const why = button(t("dealer.why"), {key: "?", name: "why"});
  const menu = button(t("dealer.menu"), {key: "M", name: "menu"});
  byId("coach").append(text, paid, why, menu);
  onTap(paid, "paid", tick);
  onTap(why, "why", explain);
  onTap(menu, "menu", others.menu);

  function waiting(view) {
    return view.coach.pay.filter((each) => each.now && !done.has(`${view.public.round}/${each.number}`));
  }

  function tick() {
    const [first] = waiting(current);
    if (!first) return;
    done.add(`${current.public.round}/${first.number}`);
    others.changed();
  }

  function explain() {
    whyOpen = !whyOpen;
    others.changed();
  }

  function show(view) {
    if (current && current.coach.say !== view.coach.say) whyOpen = false;
    current = view;
    const due = waiting(view);
    byId("coach").classList.toggle("paying", due.length > 0);
    paid.hidden = due.length === 0;
    if (due.length) relabel(paid, t(`dealer.done.${due[0].kind}`), {key: t("dealer.space")});
    text.replaceChildren(...(whyOpen ? whyParts(view) : sayParts(view, due)));
    relabel(why, t(whyOpen ? "dealer.why.close" : "dealer.why"), {key: "?"});
    why.setAttribute("aria-expanded", whyOpen);
  }

  function sayParts(view, due) {
    if (!due.length) {
      const first = view.coach.pay.length ? "" : view.coach.first; // what is ticked off already is not said again
      return [...(first ? [element("p", {class: "first"}, say(first))] : []), sentence(say(view.coach.say))];
    }
    const all = view.coach.pay.filter((each) => each.now).length;
    const count = t("dealer.pay.count", {number: all - due.length + 1, all});
    const title = view.public.phase === "playing" ? t(`dealer.now.${due[0].kind}`) : t("dealer.pay.and_take");
    return [
      element("p", {class: "first"}, element("strong", {}, title), " ", count),
      sentence(paymentWords(say, due[0]), "money"),
      due.length === 1 ? element("p", {class: "then"}, t("dealer.then", {say: say(view.coach.say)})) : null,
    ].filter(Boolean);
  }

  function whyParts(view) {
    const paid = view.coach.pay.map((each) => element("li", {}, paymentWords(say, each)));
    return [
      element("p", {class: "then"}, say(view.coach.say)),
      element("p", {class: "because"}, say(view.coach.why)),
      paid.length ? element("ol", {class: "settled money"}, ...paid) : null,
    ].filter(Boolean);
  }

  return {
    show,
    due: (view) => waiting(view)[0] ?? null,
    keys: () => ({"?": explain, y: explain, m: others.menu, " ": tick}),
  };
}

/** The chips stand behind the sentence and are told by themselves: they hold commas and "and" of their own. */
function paymentWords(say, {words, chips}) {
  const end = `: ${chips}.`;
  if (!chips || !words.endsWith(end)) return say(words);
  return `${say(`${words.slice(0, -end.length)}.`).slice(0, -1)}: ${say.part(chips)}.`;
}

function sentence(words, name = "") {
  return element("p", {class: `sentence ${words.length > LONG ? "long" : ""} ${name}`.trim()}, words);
}

/** What a payment puts on its seat: `+$15`. */
export function payMark(t, payment, currency) {
  const words = payment.amount === null ? t(`dealer.mark.${payment.kind}`) : signed(payment.amount, currency, t.lang);
  return {words: payment.kind === "leave" ? t("dealer.mark.leave") : words, tap: false, kind: payment.kind};
}
