// What a page asks of the table and enters at it. An input is entered once, however often the network makes us try.

const TRIES = 4;
const WAIT_MS = 300;
const ANSWER_MS = 5000;

/** Resolves {ok: true, sequences} or {ok: false, problem}; problem has title, detail, code, status (0: no answer). */
export async function enter(input) {
  const key = freshKey();
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await fetch("/api/v1/inputs", {
        method: "POST",
        headers: {"Content-Type": "application/json", "Idempotency-Key": key},
        body: JSON.stringify(input),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      if (answer.ok) return {ok: true, ...(await answer.json())};
      return {ok: false, problem: await problemOf(answer)};
    } catch {
      if (attempt === TRIES) return {ok: false, problem: NO_ANSWER};
      await new Promise((done) => setTimeout(done, WAIT_MS * attempt));
    }
  }
}

/** The document at this path ("/api/v1/rounds"); throws an Error with `problem` where there is none to be had. */
export async function get(path) {
  let answer;
  try {
    answer = await fetch(path, {headers: {Accept: "application/json"}, signal: AbortSignal.timeout(ANSWER_MS)});
    if (answer.ok) return await answer.json();
  } catch {
    throw failure(NO_ANSWER);
  }
  throw failure(await problemOf(answer));
}

const NO_ANSWER = Object.freeze({
  title: "The table does not answer",
  detail: "The table's computer does not answer. Is it on, and is this screen on its network?",
  code: "no_answer",
  status: 0,
});

async function problemOf(answer) {
  try {
    return await answer.json();
  } catch {
    return {title: answer.statusText, detail: `The table answered ${answer.status}.`, code: "", status: answer.status};
  }
}

function failure(problem) {
  return Object.assign(new Error(problem.detail), {problem});
}

function freshKey() {
  // crypto.randomUUID is there on https and localhost only; a console on the table's own network has neither.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
