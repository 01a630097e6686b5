// Fingers and keys: the same tap twice within 300 ms acts once, two different ones both count; what destroys is held.

const TWICE_MS = 300; // a trembling finger; nobody means the same thing twice as fast
const HOLD_MS = 1000;
let last = {name: "", at: 0}; // the tap before this one

/** Whether this tap is a new one. Goes by name, because a button may have been made anew in between. */
export function isNew(name, now = performance.now()) {
  if (name === last.name && now - last.at < TWICE_MS) return false;
  last = {name, at: now};
  return true;
}

/** `act` when the button is tapped. It looks pressed from the touch on, before anything is asked of the table. */
export function onTap(button, name, act) {
  button.addEventListener("pointerdown", () => press(button));
  button.addEventListener("click", (event) => {
    if (event.detail) button.blur(); // by a finger: the Enter key must not press it again
    if (button.disabled || !isNew(name)) return;
    press(button);
    act();
  });
}

/** `act` when the button was held for a second; a ring shows how long. Let go before, nothing happens. */
export function onHold(button, name, act) {
  let began = 0;
  let frame = 0;
  button.classList.add("hold");
  const begin = () => {
    if (began || button.disabled) return;
    began = performance.now();
    button.classList.add("holding");
    turn();
  };
  const end = () => {
    cancelAnimationFrame(frame);
    began = 0;
    button.classList.remove("holding");
    button.style.removeProperty("--held");
  };
  const turn = () => {
    const part = (performance.now() - began) / HOLD_MS;
    button.style.setProperty("--held", `${Math.min(part, 1) * 360}deg`);
    if (part < 1) {
      frame = requestAnimationFrame(turn);
      return;
    }
    end();
    if (isNew(name)) act();
  };
  button.addEventListener("pointerdown", begin);
  for (const gone of ["pointerup", "pointerleave", "pointercancel", "blur"]) button.addEventListener(gone, end);
  button.addEventListener("contextmenu", (event) => event.preventDefault()); // a long touch asks for it
  button.addEventListener("keydown", (event) => ["Enter", " "].includes(event.key) && begin());
  button.addEventListener("keyup", end);
}

function press(button) {
  button.classList.add("pressed");
  setTimeout(() => button.classList.remove("pressed"), 180);
}

/** Keys by name: {h: () => …}. `keys()` is asked at each press, so it can be another one for every screen. */
export function onKeys(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof HTMLInputElement) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const onButton = event.target instanceof HTMLButtonElement && [" ", "Enter"].includes(event.key);
    const act = onButton ? undefined : keys()[key];
    if (!act) return;
    event.preventDefault();
    if (isNew(`key ${key}`)) act();
  });
}
