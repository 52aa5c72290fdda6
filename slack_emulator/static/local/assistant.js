// What stands beside the messages of a thread: what Footnote is doing, how to stop it, and questions to start with.

import { h, reconcile } from "./dom.js";

/** Show it, or nothing. ask(text): sends a question. stop(): stops the work, where that can be done. */
export function showAssistant(place, beside, ask, stop) {
  const parts = [];
  if (beside?.status) parts.push({ kind: "status", text: beside.status });
  if (beside?.is_working) parts.push({ kind: "working", can_stop: beside.can_stop });
  if (beside?.prompts.length) parts.push({ kind: "prompts", title: beside.prompts_title, prompts: beside.prompts });
  const show = { status: (part) => status(part.text), working: (part) => working(part, stop), prompts: (part) => prompts(part, ask) };
  reconcile(place, parts, ({ kind }) => kind, (part) => show[part.kind](part));
}

function status(text, ...more) {
  return h("p", { class: "status", role: "status" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), text, ...more);
}

function working({ can_stop }, stop) {
  const button = h("button", { type: "button", class: "stop", "data-control": "stop", click: stop }, "Stop");
  return status("Footnote is working …", ...(can_stop ? [button] : []));
}

function prompts({ title, prompts: all }, ask) {
  const buttons = all.map((prompt) =>
    h("button", { type: "button", class: "suggestion", "data-control": prompt.title, click: () => ask(prompt.message) }, prompt.title),
  );
  return h("div", { class: "prompts", role: "group", "aria-label": title || "Questions to start with" }, title && h("p", {}, title), ...buttons);
}
