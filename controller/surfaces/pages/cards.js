// A card as an element: rank, suit glyph and suit letter, never colour alone. Its size is its font size; base.css draws it.

const GLYPHS = {S: "♠", H: "♥", D: "♦", C: "♣"};
export const DECKS = ["classic", "four", "safe"]; // two colours, four, four that colour-blind people tell apart

/** @param {string|null} code as "8S" or "TD"; null is a card that lies face down. */
export function cardElement(code, {deck = chosenDeck()} = {}) {
  const card = document.createElement("span");
  card.setAttribute("role", "img");
  if (code === null) {
    card.className = "card card-down";
    card.setAttribute("aria-label", "■");
    return card;
  }
  const [rank, suit] = [code.slice(0, -1), code.slice(-1)];
  const shown = rank === "T" ? "10" : rank;
  card.className = `card deck-${deck} suit-${suit}`;
  card.dataset.card = code;
  card.setAttribute("aria-label", `${shown}${GLYPHS[suit]}`);
  card.append(part("card-rank", shown), part("card-suit", GLYPHS[suit]), part("card-letter", suit));
  return card;
}

/** As the page's address says: ?deck=four. */
export function chosenDeck() {
  const wanted = new URLSearchParams(location.search).get("deck");
  return DECKS.includes(wanted) ? wanted : DECKS[0];
}

function part(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}
