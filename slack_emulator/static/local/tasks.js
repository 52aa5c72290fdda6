// The steps of a longer work, as nodes.

import { h, icon, link } from "./dom.js";
import { plain } from "./mrkdwn.js";
import { richText } from "./richtext.js";

const STATES = { pending: "waiting", in_progress: "in progress", complete: "done", error: "failed" };

/** One step: what it is, how far it is, and what it found. */
export function task(block, context) {
  const rich = (part) => part && h("div", { class: "task-text" }, ...part.elements.map((item) => richText(item, context.names)));
  const sources = (block.sources ?? []).map((source) => h("li", {}, link(source.url, source.text)));
  return h(
    "div",
    { class: `task ${block.status}` },
    h("span", { class: "task-state", role: "img", "aria-label": STATES[block.status] }, block.status === "complete" && icon("check"), block.status === "error" && icon("close")),
    h("div", { class: "task-body" }, h("span", { class: "task-title" }, plain(block.title)), rich(block.details), rich(block.output), sources.length > 0 && h("ul", { class: "task-sources" }, ...sources)),
  );
}

/** Several steps under a title; they can be folded away. */
export function plan(block, context) {
  const tasks = block.tasks ?? [];
  const done = tasks.filter(({ status }) => status === "complete").length;
  return h(
    "details",
    { class: "plan-steps", open: true },
    h("summary", {}, h("strong", {}, plain(block.title)), h("span", { class: "description" }, `${done} of ${tasks.length} done`)),
    ...tasks.map((item) => task(item, context)),
  );
}
