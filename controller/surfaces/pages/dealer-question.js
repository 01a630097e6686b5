// What the table asks, as one screen: the question, and each answer in its own place. What can't be undone is held.

import {button, byId, element} from "/pages/dealer-dom.js";
import {picker} from "/pages/dealer-picker.js";
import {maySupervise, send} from "/pages/dealer-table.js";
import {onHold, onTap} from "/pages/dealer-taps.js";

const COLUMNS = {deal: 1, begin: 2, confirm: 2, by_hand: 2, burn: 3, same: 4, void: 5};
const KEYS = {deal: "I", begin: "B", confirm: "Y", by_hand: "B", same: "N"};
const HELD = ["burn", "void"];
const CARDS = {misread: 1, double_feed: 2}; // how many are asked for; else a button says that it was all

/** @param others {needsSupervisor}. Returns {show, isOpen, covers, keys}. */
export function question(t, say, others) {
  let asked = "";
  let naming = null;
  let keys = {};

  function show(view) {
    const now = view.question;
    const key = now ? JSON.stringify(now) : "";
    if (key === asked) return;
    asked = key;
    naming = null;
    keys = {};
    const panel = byId("question");
    panel.hidden = !now;
    document.body.classList.toggle("asking", Boolean(now));
    if (!now) {
      panel.replaceChildren();
      return;
    }
    const header = element(
      "header",
      {},
      element("h2", {id: "question-title"}, t(`dealer.situation.${now.situation}`)),
      element("p", {class: "asks"}, say(now.asks)),
      now.words ? element("p", {class: "quiet"}, now.words) : null,
    );
    const cover = now.choices.some((choice) => choice.answer === "name");
    panel.classList.toggle("cover", cover);
    panel.dataset.situation = now.situation;
    const plain = now.choices.filter((choice) => choice.answer !== "name");
    const answers = plain.map((choice) => answerButton(choice, cover));
    const rows = cover ? withPicker(now, answers) : [element("div", {class: "answers"}, ...answers)];
    panel.replaceChildren(header, ...rows);
  }

  function answerButton({answer, words, who}, cover) {
    const held = HELD.includes(answer);
    const supervisor = who === "supervisor" && !maySupervise();
    const label = t.has(`dealer.answer.${answer}`) ? t(`dealer.answer.${answer}`) : say(words);
    const hint = supervisor ? t("dealer.supervisor") : held ? t("dealer.hold") : "";
    const key = held ? "" : KEYS[answer];
    const made = button(label, {hint, key, name: `answer-${answer}`, kind: held ? "danger" : ""});
    if (!cover) made.style.gridColumn = COLUMNS[answer];
    const give = () => (supervisor ? others.needsSupervisor() : answerWith({answer}));
    if (held && !supervisor) onHold(made, `answer ${answer}`, give);
    else onTap(made, `answer ${answer}`, give);
    if (key) keys[key.toLowerCase()] = give;
    return made;
  }

  function withPicker({situation}, answers) {
    const wanted = CARDS[situation];
    const all = button(t("dealer.picker.all"), {name: "picker-all", kind: "main"});
    naming = picker(t, (cards) => {
      all.disabled = false;
      if (cards.length === wanted) answerWith({answer: "name", cards});
    });
    all.disabled = true;
    onTap(all, "picker all", () => answerWith({answer: "name", cards: naming.cards()}));
    const spare = wanted ? null : all;
    const rows = [...naming.ranks, naming.back, ...naming.suits, ...answers, spare].filter(Boolean);
    return [naming.shown, element("div", {class: "picker"}, ...rows)];
  }

  function answerWith(answer) {
    const before = asked;
    send((view) => (JSON.stringify(view.question) === before ? {input: "answer", ...answer} : null));
    naming?.clear();
  }

  return {
    show,
    isOpen: () => asked !== "",
    covers: () => naming !== null,
    keys: () => ({...keys, ...(naming ? naming.keys : {})}),
  };
}
