// Beside the limit sign while the table is closed or reserved: the codes with which people join the table's own network.
// Never inside a frame: the pit's preview and a studio's page are no signs on a wall.

import {showCodes} from "/pages/hotspot.js";
import {texts} from "/pages/texts.js";

const sign = document.getElementById("sign");
const wanted = () => ["closed", "reserved"].includes(sign.dataset.state);

if (parent === window) {
  const look = showCodes(document.getElementById("codes"), {
    place: "sign",
    t: await texts(),
    wanted,
    changed: () => dispatchEvent(new Event("resize")), // the sign has more or less room now
  });
  let before = wanted();
  const changed = () => {
    if (wanted() === before) return; // it is set each second
    before = !before;
    look();
  };
  new MutationObserver(changed).observe(sign, {attributeFilter: ["data-state"]});
}
