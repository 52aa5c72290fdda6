// The calls to the web process.

const { base, csrf } = document.body.dataset;

/** What this browser is called: a window that Footnote opens belongs to the browser in which it was asked for. */
const BROWSER = "footnote-browser";
const browser = localStorage.getItem(BROWSER) ?? crypto.randomUUID().slice(0, 8);
localStorage.setItem(BROWSER, browser);

/** An error with a message for the person. */
export class CallError extends Error {}

let lastTag = "";
let lastUrl = "";

/** What the person sees now, or null when nothing changed since the last call. */
export async function fetchState({ person, channel, thread }) {
  const url = `${base}state?${new URLSearchParams({ as: person, channel, thread, browser })}`;
  const headers = url === lastUrl && lastTag ? { "If-None-Match": lastTag } : {};
  const response = await reach(url, { headers, cache: "no-store" });
  if (response.status === 304) return null;
  if (response.status === 403) throw new CallError(await response.text()); // not let in, or not any more
  if (!response.ok) throw new CallError(`The web process answered ${response.status}.`);
  const state = await response.json();
  lastUrl = url;
  lastTag = response.headers.get("ETag") ?? "";
  return state;
}

/** Forget what was fetched, so that the next state comes whole. */
export function forgetState() {
  lastTag = "";
}

/** Post to one of the page's endpoints, files too. CallError carries what the web process says is wrong. */
export async function send(path, { files, ...said }) {
  const body = { ...said, browser };
  const headers = { "X-CSRFToken": csrf };
  if (!files?.length) headers["Content-Type"] = "application/json";
  const response = await reach(base + path, { method: "POST", headers, body: files?.length ? form(body, files) : JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new CallError(answer.error ?? `The web process answered ${response.status}.`);
  return answer;
}

function form(fields, files) {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const file of files) data.append("files", file);
  return data;
}

async function reach(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    throw new CallError("The web process cannot be reached: is it still running?");
  }
}
