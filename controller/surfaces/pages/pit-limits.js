// Limits: what counts now, what is coming and when, and new ones with their reason, beside the sign as it will look.

import {element} from "/pages/dealer-dom.js";

const POLICIES = ["next_round", "next_shoe", "notice"];
const MAIN = "main";
const LOOK_MS = 500;
const AMOUNT = /^\d{1,12}([./]\d{1,6})?$/;

let house = null;
let parts = null;
let bet = "";
let drawn = "";
let ticking = 0;

export const limitsTab = {
  name: "limits",
  badge: ({dealer}) => dealer.public.limits.filter((each) => each.next).length,

  open(panel, given) {
    house = given;
    [bet, drawn] = ["", ""];
    const {t} = house;
    const heads = ["bet", "now", "coming"].map((name) => element("th", {scope: "col"}, t(`pit.limits.${name}`)));
    parts = {rows: element("tbody"), form: form(), sign: sign()};
    panel.append(
      element(
        "div",
        {class: "column"},
        element("h2", {}, t("pit.limits.title")),
        element("table", {class: "limits"}, element("thead", {}, element("tr", {}, ...heads, element("td"))), parts.rows),
        parts.form.box,
      ),
      element("div", {class: "column side"}, element("h2", {}, t("pit.limits.preview")), parts.sign.box),
    );
    ticking = setInterval(count, LOOK_MS);
  },

  show(state) {
    const now = JSON.stringify([state.dealer.public.limits, state.why]);
    if (now === drawn) return;
    drawn = now;
    const limits = state.dealer.public.limits;
    if (!limits.some((each) => each.bet === bet)) choose(limits[0]);
    parts.rows.replaceChildren(...limits.map((each) => row(each, state.why[each.bet])));
    parts.form.box.hidden = !limits.length;
    count();
    parts.sign.show();
  },

  close() {
    clearInterval(ticking);
  },
};

function row(each, why) {
  const {t} = house;
  const change = element("button", {type: "button", "aria-pressed": String(each.bet === bet)}, t("pit.limits.change"));
  change.setAttribute("aria-label", t("pit.limits.change_bet", {bet: title(each.bet)}));
  change.addEventListener("click", () => {
    choose(each);
    drawn = "";
    limitsTab.show(house.state());
  });
  const coming = each.next
    ? [
        element("strong", {class: "money next"}, each.next),
        element("span", {class: "when", "data-policy": each.policy, "data-due": each.due}),
        why ? element("span", {class: "quiet"}, `“${why}”`) : "",
      ]
    : ["—"];
  return element(
    "tr",
    {"data-bet": each.bet},
    element("th", {scope: "row"}, title(each.bet)),
    element("td", {class: "money now"}, each.words),
    element("td", {class: "coming"}, ...coming),
    element("td", {}, change),
  );
}

/** The words of everything that is coming: at which boundary, or how long it still takes. */
function count() {
  const {t} = house;
  for (const each of parts.rows.querySelectorAll(".when")) {
    const left = Math.ceil(Number(each.dataset.due) - house.now());
    const time = `${Math.floor(Math.max(0, left) / 60)}:${String(Math.max(0, left) % 60).padStart(2, "0")}`;
    const words = Number(each.dataset.due) ? t(left > 0 ? "pit.limits.in" : "pit.limits.over", {time}) : t(`pit.policy.${each.dataset.policy}`);
    if (each.textContent !== words) each.textContent = words;
  }
}

function title(name) {
  const bets = house.state().dealer.layout.side_bets;
  return name === MAIN ? house.t("pit.limits.main") : (bets[name] ?? name);
}

function choose(limit) {
  if (!limit) return;
  bet = limit.bet;
  for (const name of ["min", "max", "step"]) parts.form.fields[name].value = limit[name];
  parts.form.fields.heading.textContent = house.t("pit.limits.new", {bet: title(bet)});
  parts.sign.show();
}

function form() {
  const {t} = house;
  const field = (name, attributes = {}) => element("input", {type: "text", id: `limit-${name}`, name, autocomplete: "off", ...attributes});
  const fields = {
    heading: element("h2"),
    min: field("min", {inputmode: "decimal", maxlength: 12, required: true}),
    max: field("max", {inputmode: "decimal", maxlength: 12, required: true}),
    step: field("step", {inputmode: "decimal", maxlength: 12, required: true}),
    policy: element("select", {id: "limit-policy", name: "policy"}, ...POLICIES.map((each) => element("option", {value: each}, t(`pit.policy.${each}`)))),
    minutes: field("minutes", {inputmode: "numeric", maxlength: 4, value: "30"}),
    why: field("why", {maxlength: 200}),
  };
  const minutes = labelled("minutes", fields.minutes);
  const go = element("button", {type: "submit", class: "main"}, t("pit.limits.go"));
  const box = element(
    "form",
    {class: "panel limits-form", novalidate: true},
    fields.heading,
    element("div", {class: "fields"}, ...["min", "max", "step"].map((name) => labelled(name, fields[name]))),
    element("div", {class: "fields"}, labelled("policy", fields.policy), minutes),
    element("div", {class: "fields"}, labelled("why", fields.why, "wide")),
    go,
  );
  const notice = () => (minutes.hidden = fields.policy.value !== "notice");
  fields.policy.addEventListener("change", notice);
  notice();
  for (const name of ["min", "max"]) fields[name].addEventListener("input", () => parts.sign.show());
  box.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!fields.why.value.trim()) {
      house.notice(t("pit.reason_missing"), "bad");
      fields.why.focus();
      return;
    }
    go.disabled = true;
    const [min, max, step] = ["min", "max", "step"].map((name) => fields[name].value.trim());
    const policy = fields.policy.value === "notice" ? `notice:${fields.minutes.value.trim()}m` : fields.policy.value;
    if (await house.enter({input: "limits", bet, min, max, step, policy, why: fields.why.value.trim()})) {
      fields.why.value = "";
      house.notice(t("pit.limits.done"));
    }
    go.disabled = false;
  });
  return {box, fields};
}

function labelled(name, field, kind = "") {
  return element("div", {class: `field ${kind}`.trim()}, element("label", {for: field.id}, house.t(`pit.limits.${name}`)), field);
}

/** The table's sign with the limits that stand in the form. */
function sign() {
  const frame = element("iframe", {class: "sign", title: house.t("pit.limits.preview"), tabindex: "-1"});
  const box = element("div", {class: "sign-box"}, frame);
  let shown = "";
  return {
    box,
    show() {
      const {min, max} = parts.form.fields;
      if (![min, max].every((field) => AMOUNT.test(field.value.trim()))) return;
      const query = new URLSearchParams({preview: bet, min: min.value.trim(), max: max.value.trim(), lang: house.lang});
      if (String(query) === shown) return;
      shown = String(query);
      frame.src = `/sign?${query}`;
    },
  };
}
