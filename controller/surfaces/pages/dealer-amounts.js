// Exact amounts for building a bet of chips: "10", "5/2", "7.50". Never a float.

function parts(text) {
  const amount = String(text);
  if (amount.includes("/")) return amount.split("/").map(BigInt);
  const [whole, rest = ""] = amount.split(".");
  return [BigInt(whole + rest), 10n ** BigInt(rest.length)];
}

function exact(above, below) {
  const common = divisor(above < 0n ? -above : above, below);
  return below === common ? String(above / common) : `${above / common}/${below / common}`;
}

function divisor(one, other) {
  return other === 0n ? one : divisor(other, one % other);
}

export function add(one, other) {
  const [a, b] = parts(one);
  const [c, d] = parts(other);
  return exact(a * d + c * b, b * d);
}

export function half(amount) {
  const [a, b] = parts(amount);
  return exact(a, b * 2n);
}

/** Below, at or above zero, as a sort wants it. */
export function compare(one, other) {
  const [a, b] = parts(one);
  const [c, d] = parts(other);
  const difference = a * d - c * b;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
