// What is done seldom: the table's day, the shoe, the dealer, cards by hand, and what goes wrong.

import {cardElement} from "/pages/cards.js";
import {get} from "/pages/api.js";
import {button, element} from "/pages/dealer-dom.js";
import {picker} from "/pages/dealer-picker.js";
import {maySupervise, send, table} from "/pages/dealer-table.js";
import {onHold, onTap} from "/pages/dealer-taps.js";

const REASONS = ["misdeal", "exposed", "mixed", "dispute", "other"];

/** Returns {openMenu, nameCard, disagree, needsSupervisor}: each opens its screen on `sheet`. */
export function menu(t, sheet) {
  const enter = (input) => async () => {
    if (await send(() => input)) sheet.close();
  };

  function openMenu() {
    const {view, who} = table;
    const {legal, faults, alerts, holding} = view;
    const between = legal.includes("shoe");
    const step = view.coach.step;
    const items = [
      item("open_table", legal.includes("open_table"), enter({input: "open_table"})),
      item("close_table", legal.includes("close_table"), enter({input: "close_table"}), {hold: true}),
      item("shoe_loaded", between, enter({input: "shoe", action: "load"})),
      item("verify", between && !counting(step), enter({input: "shoe", action: "verify"})),
      item("verified", step === "shoe_verified", enter({input: "shoe", action: "verified"})),
      item("count", between && !counting(step), enter({input: "shoe", action: "count"})),
      item("counted", step === "shoe_counted", enter({input: "shoe", action: "counted"})),
      item("cut_card", legal.includes("cut_card"), enter({input: "cut_card"}), {hold: true}),
      item("dealer_in", legal.includes("dealer_in"), () => takeOver(who.name)),
      item("dealer_out", legal.includes("dealer_out"), enter({input: "dealer_out"})),
      item("name_card", legal.includes("card"), nameCard),
      item("set_aside", holding.length > 0, enter({input: "fault", device: holding[0]})),
      item("disagree", legal.includes("correct") || legal.includes("void"), disagree),
      item("void", legal.includes("void"), voidRound),
    ];
    const troubles = [
      ...Object.values(alerts).map((words) => element("li", {class: "bad"}, t("dealer.alert", {words}))),
      ...Object.entries(faults).map(([device, words]) => element("li", {}, `${device}: ${words}`)),
    ];
    const signedIn = element(
      "p",
      {class: "row signed-in"},
      who.name ? t("dealer.signed_in", {name: who.name, role: who.role}) : "",
      element("a", {class: "button", href: "/sign-in?next=/dealer"}, t("dealer.change_who")),
      element("a", {class: "button", href: "/"}, t("dealer.start")),
    );
    sheet.open({
      name: "menu",
      kind: "menu",
      title: t("dealer.menu"),
      parts: [element("div", {class: "grid"}, ...items), element("ul", {class: "troubles"}, ...troubles), signedIn],
    });
  }

  function item(name, possible, act, {hold = false} = {}) {
    const hint = hold ? t("dealer.hold") : "";
    const made = button(t(`dealer.menu.${name}`), {hint, name: `menu-${name}`, kind: hold ? "danger" : ""});
    made.disabled = !possible;
    if (hold) onHold(made, `menu ${name}`, act);
    else onTap(made, `menu ${name}`, act);
    return made;
  }

  function takeOver(name) {
    const label = t("dealer.dealer_name");
    const field = element("input", {type: "text", maxlength: 40, value: name ?? "", "aria-label": label});
    const go = button(t("dealer.menu.dealer_in"), {kind: "main", name: "dealer-in"});
    onTap(go, "dealer in", () => enter({input: "dealer_in", name: field.value})());
    sheet.open({name: "dealer_in", title: label, parts: [element("div", {class: "row"}, field, go)]});
    field.focus();
  }

  function nameCard() {
    const naming = picker(t, ([card]) => enter({input: "card", card})());
    sheet.open({
      name: "card",
      kind: "naming",
      title: t("dealer.name_card"),
      parts: [naming.shown, element("div", {class: "picker"}, ...naming.ranks, naming.back, ...naming.suits)],
      keys: naming.keys,
    });
  }

  /** The cards as the system has them, and the ways out. */
  function disagree() {
    const {view} = table;
    const {public: shown, undo, take_back: takeBack} = view;
    const lie = [shown.dealer, ...shown.hands].filter(Boolean).map((hand) =>
      element(
        "div",
        {class: "laid"},
        element("h3", {}, whose(hand.seat), hand.hand > 1 ? ` · ${hand.hand}` : ""),
        element("span", {class: "cards"}, ...hand.cards.map((card) => cardElement(card))),
        element("b", {}, hand.total),
      ),
    );
    const supervisor = maySupervise() ? "" : t("dealer.supervisor");
    const ways = [
      way("undo", t("dealer.undo"), undo, Boolean(undo), enter({input: "undo"})),
      way("take_back", t("dealer.take_back"), t("dealer.undo.card"), takeBack, enter({input: "take_back"})),
      way("correct", t("dealer.correct"), supervisor, view.legal.includes("correct"), correct),
      way("void", t("dealer.menu.void"), supervisor, view.legal.includes("void"), voidRound),
    ];
    sheet.open({
      name: "disagree",
      kind: "disagree",
      title: t("dealer.menu.disagree"),
      parts: [
        element("p", {class: "quiet"}, t("dealer.disagree.words")),
        element("div", {class: "laid-out"}, ...lie),
        element("div", {class: "row"}, ...ways),
      ],
    });
  }

  function whose(seat) {
    return seat ? t("dealer.seat", {seat}) : t("dealer.dealer");
  }

  function way(name, label, hint, possible, act) {
    const made = button(label, {hint: possible ? hint : "", name: `way-${name}`});
    made.disabled = !possible;
    onTap(made, `way ${name}`, act);
    return made;
  }

  /** Which card was another, then which it was. Its place in the round is told to supervisors alone. */
  async function correct() {
    if (!maySupervise()) {
      needsSupervisor();
      return;
    }
    let rounds;
    try {
      rounds = (await get("/api/v1/state?view=supervisor")).state.correctable;
    } catch {
      needsSupervisor();
      return;
    }
    const cards = rounds.flatMap(({round, cards: all}) => all.map((each) => ({round, ...each})));
    const choices = cards.filter((each) => each.card).map(({round, place, seat, card}) => {
      const hint = t("dealer.correct.place", {round, who: whose(seat)});
      const made = button("", {hint, name: `correct-${round}-${place}`});
      made.prepend(cardElement(card));
      onTap(made, `correct ${round} ${place}`, () => correctTo(round, place, card));
      return made;
    });
    const grid = element("div", {class: "grid scroll"}, ...choices);
    sheet.open({name: "correct", kind: "disagree", title: t("dealer.correct.which"), parts: [grid]});
  }

  function correctTo(round, place, was) {
    const naming = picker(t, ([card]) => enter({input: "correct", round, place, card})());
    const title = element("span", {class: "row"}, t("dealer.correct.to"), " ", cardElement(was));
    sheet.open({
      name: "correct",
      kind: "naming",
      title,
      parts: [naming.shown, element("div", {class: "picker"}, ...naming.ranks, naming.back, ...naming.suits)],
      keys: naming.keys,
    });
  }

  function voidRound() {
    if (!maySupervise()) {
      needsSupervisor();
      return;
    }
    const reasons = REASONS.map((each) => {
      const made = button(t(`dealer.reason.${each}`), {hint: t("dealer.hold"), name: `void-${each}`, kind: "danger"});
      onHold(made, `void ${each}`, enter({input: "void", reason: t(`dealer.reason.${each}`)}));
      return made;
    });
    const words = element("p", {class: "quiet"}, t("dealer.void.words"));
    const grid = element("div", {class: "grid"}, ...reasons);
    sheet.open({name: "void", title: t("dealer.void.why"), parts: [words, grid]});
  }

  function needsSupervisor() {
    const go = t("dealer.needs_supervisor.go");
    sheet.open({
      name: "supervisor",
      title: t("dealer.needs_supervisor"),
      parts: [
        element("p", {}, t("dealer.needs_supervisor.words")),
        element("div", {class: "row"}, element("a", {class: "button main big", href: "/sign-in?next=/dealer"}, go)),
      ],
    });
  }

  return {openMenu, nameCard, disagree, needsSupervisor};
}

function counting(step) {
  return step === "shoe_verified" || step === "shoe_counted";
}
