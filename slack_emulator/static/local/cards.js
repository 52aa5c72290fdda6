// Cards.

import { h } from "./dom.js";
import { text } from "./text.js";

/** Slack's card block. any: makes the node of one of its buttons. */
export function card(block, context, any) {
  const part = (name) => block[name] && h("div", { class: `card-${name}` }, text(block[name], context));
  return [
    h("div", { class: "card-head" }, h("div", {}, part("title"), part("subtitle")), block.actions && h("div", { class: "card-actions" }, ...block.actions.map((item) => any(block, item, context)))),
    part("body"),
  ];
}
