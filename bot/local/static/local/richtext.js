// Slack's rich_text block, as nodes.

import { h, link } from "./dom.js";
import { emoji } from "./emoji.js";
import { mention } from "./mrkdwn.js";

/** One part of a rich_text block. */
export function richText(part, names) {
  const children = () => part.elements.map((element) => inline(element, names));
  if (part.type === "rich_text_list") {
    const items = part.elements.map((item) => h("li", {}, ...item.elements.map((element) => inline(element, names))));
    return h(part.style === "ordered" ? "ol" : "ul", {}, ...items);
  }
  if (part.type === "rich_text_quote") return h("blockquote", {}, ...children());
  if (part.type === "rich_text_preformatted") return h("pre", {}, ...children());
  return h("div", { class: "rich" }, ...children());
}

function inline(element, names) {
  if (element.type === "link") return styled(link(element.url, element.text || element.url), element.style);
  if (element.type === "user") return mention(element.user_id, names);
  if (element.type === "emoji") return emoji(element.name) ?? `:${element.name}:`;
  return styled(document.createTextNode(element.text ?? ""), element.style);
}

function styled(node, style = {}) {
  const tags = { bold: "strong", italic: "em", strike: "s", code: "code" };
  return Object.keys(tags).reduce((inner, name) => (style[name] ? h(tags[name], {}, inner) : inner), node);
}
