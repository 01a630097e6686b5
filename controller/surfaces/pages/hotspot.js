// The two QR codes of a table with a Wi-Fi network of its own: join it, open its pages. The table decides who gets them,
// and answers with nothing where they are not to be shown; so they come, change and go here as the table wants it.

import {element} from "/pages/felt.js";

const LOOK_MS = 5000;
const CODES = ["join", "open"];

/**
 * @param {HTMLElement} holder is hidden while there is nothing in it.
 * @param {{place: string, t: function, wanted?: function, changed?: function}} wishes
 *   place: "sign" or "start". wanted(): whether they are to be asked for now. changed(): after they came or went.
 * @returns {function} to be called when wanted() may have changed.
 */
export function showCodes(holder, {place, t, wanted = () => true, changed = () => {}}) {
  let asked = Date.now(); // an address of its own each time, or the browser would keep what it has

  async function look() {
    const mine = ++asked;
    const images = wanted() ? await Promise.all(CODES.map((code) => load(`/pages/hotspot/${place}/${code}.svg?${mine}`))) : [];
    if (mine !== asked) return;
    const shown = images[0] && wanted() ? CODES.map((code, at) => images[at] && figure(code, images[at])) : [];
    const before = holder.childElementCount;
    holder.replaceChildren(...shown.filter(Boolean));
    holder.hidden = holder.childElementCount === 0;
    if (holder.childElementCount !== before) changed();
  }

  function figure(code, image) {
    image.alt = "QR";
    return element("figure", "code", image, element("figcaption", "", t(`common.hotspot_${code}`)));
  }

  setInterval(look, LOOK_MS);
  look();
  return look;
}

/** The image, or null where the answer is empty. */
function load(source) {
  return new Promise((done) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => done(null);
    image.src = source;
  });
}
