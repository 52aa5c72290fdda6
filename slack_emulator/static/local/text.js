// Slack's text objects, as nodes.

import { h } from "./dom.js";
import { drawn } from "./emoji.js";
import { mrkdwn, plain } from "./mrkdwn.js";

/** A text object; an image is told by its alternative text, as nothing is loaded from elsewhere. */
export function text(item, context) {
  if (item.type === "plain_text") return plain(item.text).split("\n").map((line) => h("div", { class: "line" }, ...drawn(line)));
  if (item.type === "mrkdwn") return mrkdwn(item.text, context.names);
  return h("span", { class: "unknown" }, item.alt_text ?? item.type);
}
