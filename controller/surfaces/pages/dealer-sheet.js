// One screen over the others at a time: a bet, the menu, a card by hand, the cards as the system has them.

import {button, byId, element} from "/pages/dealer-dom.js";
import {onTap} from "/pages/dealer-taps.js";

/** Returns {open, close, isOpen, keys}. open({name, title, parts, keys}) covers all below the strip. */
export function sheets(t) {
  let name = "";
  let own = {};

  function open({name: called, title, parts, keys = {}, kind = ""}) {
    name = called;
    own = keys;
    const shut = button(t("dealer.close"), {key: "Esc", name: "close"});
    onTap(shut, "close sheet", close);
    const sheet = byId("sheet");
    sheet.className = `sheet ${kind}`.trim();
    sheet.replaceChildren(element("h2", {id: "sheet-title"}, title), shut, ...parts);
    sheet.setAttribute("aria-labelledby", "sheet-title");
    sheet.hidden = false;
  }

  function close() {
    name = "";
    own = {};
    byId("sheet").hidden = true;
    byId("sheet").replaceChildren();
  }

  return {open, close, isOpen: () => name !== "", keys: () => ({...own, Escape: close})};
}
