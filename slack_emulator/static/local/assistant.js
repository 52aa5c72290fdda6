// What stands beside the messages of a thread: what Footnote is doing, and questions to start with.

import { h, reconcile } from "./dom.js";

/** Show it, or nothing. ask(text): sends a question in the thread. */
export function showAssistant(place, beside, ask) {
  const parts = [];
  if (beside?.status) parts.push({ kind: "status", text: beside.status });
  if (beside?.prompts.length) parts.push({ kind: "prompts", title: beside.prompts_title, prompts: beside.prompts });
  reconcile(place, parts, ({ kind }) => kind, (part) => (part.kind === "status" ? status(part) : prompts(part, ask)));
}

function status({ text }) {
  return h("p", { class: "status", role: "status" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), text);
}

function prompts({ title, prompts: all }, ask) {
  const buttons = all.map((prompt) =>
    h("button", { type: "button", class: "suggestion", "data-control": prompt.title, click: () => ask(prompt.message) }, prompt.title),
  );
  return h("div", { class: "prompts", role: "group", "aria-label": title || "Questions to start with" }, title && h("p", {}, title), ...buttons);
}
