// What the table says, in the language of this screen. The rules and the table speak English, in sentences made of
// patterns: texts/en/said.json has those, texts/es/said.json the same in Spanish. What fits none stays English.

/** Resolves say(sentence). `t` is the page's, for its language. */
export async function sayer(t) {
  if (t.lang === "en") return (sentence) => sentence;
  const [english, own] = await Promise.all(["en", t.lang].map(load));
  const patterns = Object.entries(english).map(([key, text]) => [pattern(text), own[key]]);
  const known = new Map();

  function say(sentence) {
    if (!known.has(sentence)) known.set(sentence, translated(sentence));
    return known.get(sentence);
  }

  function translated(sentence) {
    for (const [english, text] of patterns) {
      const found = english.exec(sentence);
      if (found) return text.replace(/\{(\w+)\}/g, (whole, name) => say(found.groups[name]));
    }
    return sentence;
  }

  return say;
}

function pattern(text) {
  const escaped = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`);
}

async function load(lang) {
  const answer = await fetch(`/pages/texts/${lang}/said.json`);
  return answer.json();
}
