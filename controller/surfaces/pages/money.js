// Money for people's eyes. The table writes it exactly, "15/2" where it is not whole; nothing is rounded away here.

/** "15" → "$15", "15/2" → "$7.50", "1/3" → "$1/3"; thousands are set apart: "$100,000". */
export function money(text, currency = "", lang = "en") {
  if (text === null || text === undefined || text === "") return "";
  const amount = String(text);
  const sign = amount.startsWith("-") ? "−" : "";
  return sign + currency + digits(amount.replace(/^[-+]/, ""), lang);
}

/** With its sign always: "+$15", "−$10", "$0". */
export function signed(text, currency = "", lang = "en") {
  const words = money(text, currency, lang);
  return words === "" || words.startsWith("−") || /^0+(\.0+)?$/.test(String(text)) ? words : `+${words}`;
}

function digits(amount, lang) {
  const [whole, part] = amount.includes("/") ? hundredths(amount) : amount.split(".");
  if (whole === null) return amount;
  const grouped = new Intl.NumberFormat(lang, {useGrouping: "always"}).format(BigInt(whole));
  const point = new Intl.NumberFormat(lang).formatToParts(1.5).find((each) => each.type === "decimal").value;
  return part ? grouped + point + part : grouped;
}

function hundredths(amount) {
  const [above, below] = amount.split("/").map(BigInt);
  if ((above * 100n) % below !== 0n) return [null];
  const cents = (above * 100n) / below;
  return [String(cents / 100n), String(cents % 100n).padStart(2, "0")];
}
