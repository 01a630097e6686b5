// Small makers of elements for the console. Sets no HTML from texts.

/** element("p", {class: "quiet", hidden: true}, "words", other): attributes, then children; null ones are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** A button with a label, a smaller line under it, and the key that does the same. */
export function button(label, {hint = "", key = "", kind = "", name = ""} = {}) {
  const made = element("button", {type: "button", class: `big ${kind}`.trim(), "data-name": name || null});
  relabel(made, label, {hint, key});
  return made;
}

export function relabel(made, label, {hint = "", key = ""} = {}) {
  const wanted = `${label}|${hint}|${key}`;
  if (made.dataset.label === wanted) return; // a button that is under a finger stays as it is
  made.dataset.label = wanted;
  made.replaceChildren(
    element("span", {class: "label"}, label),
    hint ? element("span", {class: "hint"}, hint) : "",
    key ? element("kbd", {"aria-hidden": "true"}, key) : "",
  );
}

export const byId = (id) => document.getElementById(id);
