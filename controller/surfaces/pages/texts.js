// The words of the pages, by key, in the language of this screen. A key that is missing shows itself and is logged.
//
// texts/<language>/<section>.json holds {"section.word": "words with {values}"}: the key as it stands in the scripts.

const LANGUAGES = ["en", "es"];

/**
 * Resolves t(key, values), with t.lang, t.has(key), t.time(date) and t.fill(root): words for every element with data-t="key".
 * The document's own elements are filled already. `sections` beside "common": those of this page, unless others are named.
 */
export async function texts(lang = chosenLanguage(), sections = [pageName()]) {
  const words = Object.assign({}, ...(await Promise.all(["common", ...sections].map((each) => load(lang, each)))));
  const t = (key, values = {}) => {
    if (!Object.hasOwn(words, key)) {
      console.error(`no text "${key}" in ${lang}`);
      return key;
    }
    return words[key].replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  };
  t.lang = lang;
  t.time = (date) => date.toLocaleTimeString(lang, {hourCycle: "h23"});
  t.has = (key) => Object.hasOwn(words, key);
  t.fill = (root) => {
    for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  };
  document.documentElement.lang = lang;
  t.fill(document);
  return t;
}

/** ?lang=es, or the first language of the browser that there is. */
export function chosenLanguage() {
  const asked = new URLSearchParams(location.search).get("lang");
  const wanted = [asked, ...navigator.languages].map((each) => (each ?? "").slice(0, 2).toLowerCase());
  return wanted.find((each) => LANGUAGES.includes(each)) ?? LANGUAGES[0];
}

function pageName() {
  return location.pathname.replace(/^\/+|\/+$/g, "") || "start";
}

async function load(lang, section) {
  const answer = await fetch(`/pages/texts/${lang}/${section}.json`);
  if (answer.ok) return answer.json();
  console.error(`no texts of "${section}" in ${lang}`);
  return {};
}
