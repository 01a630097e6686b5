// What the table says, in the language of this screen. The rules and the table speak English, in sentences made of
// patterns: texts/en/said.json has those, texts/es/said.json the same in Spanish. A pattern `part_…` is none of a sentence,
// only of a part of one. Of several sentences each is said by itself. What fits none stays English.

const CONTRACTIONS = {es: [[/\ba el (?=\p{L})/gu, "al "], [/\bde el (?=\p{L})/gu, "del "]]};
const KEPT = 500; // amounts and totals are ever others, and a screen stays on for years

/** Resolves say(sentence), with say.part(words) for what is none. `t` is the page's, for its language; `sections` are the files of patterns. */
export async function sayer(t, sections = ["said"]) {
  if (t.lang === "en") return Object.assign((text) => text, {part: (text) => text});
  const [english, own] = await Promise.all(["en", t.lang].map((lang) => load(lang, sections)));
  const parts = Object.entries(english).map(([key, text]) => [pattern(text), own[key], key.includes(".part_")]);
  const whole = parts.filter(([, , part]) => !part);
  const known = new Map();

  function say(text) {
    if (known.size > KEPT) known.clear();
    if (!known.has(text)) known.set(text, contracted(translated(text, whole) ?? eachOf(text)));
    return known.get(text);
  }

  function eachOf(text) {
    const sentences = text.split(/(?<=[.?]) /);
    return sentences.length > 1 ? sentences.map(say).join(" ") : text;
  }

  function translated(text, patterns) {
    for (const [english, said] of patterns) {
      const found = english.exec(text);
      if (found) return said.replace(/\{(\w+)\}/g, (all, name) => partOf(found.groups[name]));
    }
    return null;
  }

  function contracted(text) {
    return (CONTRACTIONS[t.lang] ?? []).reduce((so, [apart, together]) => so.replace(apart, together), text);
  }

  const partOf = (text) => translated(text, parts) ?? text;
  return Object.assign(say, {part: partOf});
}

/** A value never reaches over the end of a sentence. */
function pattern(text) {
  const escaped = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>(?:(?![.?] ).)+?)")}$`);
}

async function load(lang, sections) {
  const files = await Promise.all(sections.map((each) => fetch(`/pages/texts/${lang}/${each}.json`)));
  return Object.assign({}, ...(await Promise.all(files.map((each) => each.json()))));
}
