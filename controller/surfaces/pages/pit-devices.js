// The devices of the table and how they are, in their own words.

import {element} from "/pages/dealer-dom.js";

const LOOK_MS = 3000;

let house = null;
let list = null;
let looking = 0;

export const devicesTab = {
  name: "devices",
  badge: ({dealer}) => Object.keys(dealer.faults).length,

  open(panel, given) {
    house = given;
    list = element("ul", {class: "devices"});
    panel.append(element("h2", {}, house.t("pit.devices.title")), list);
    looking = setInterval(look, LOOK_MS);
    look();
  },

  show() {},

  close() {
    clearInterval(looking);
  },
};

async function look() {
  const told = await house.get("/api/v1/devices");
  if (told) list.replaceChildren(...told.devices.map((each) => device(each, told.at)));
}

function device(each, now) {
  const {t} = house;
  const state = t.has(`pit.devices.state.${each.state}`) ? t(`pit.devices.state.${each.state}`) : each.state;
  return element(
    "li",
    {class: `panel device is-${each.state}`},
    element(
      "h3",
      {},
      each.device,
      " ",
      element("span", {class: "state"}, state),
      each.simulated ? element("span", {class: "mark"}, t("common.simulated")) : "",
    ),
    element("p", {}, house.say(each.words)),
    each.advice ? element("p", {class: "advice"}, house.say(each.advice)) : "",
    element("p", {class: "quiet"}, t("pit.devices.where", {kind: each.kind, driver: each.driver, address: each.address})),
    element("p", {class: "quiet"}, t("pit.devices.since", {time: span(now - each.since), losses: each.losses})),
  );
}

function span(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours) return `${hours} h ${minutes} min`;
  return minutes ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
