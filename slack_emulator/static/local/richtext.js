// Slack's rich_text block, as nodes.

import { h, link } from "./dom.js";
import { drawn, emoji } from "./emoji.js";
import { mention } from "./mrkdwn.js";

const DEEPEST = 6; // levels of lists

/** One part of a rich_text block. */
export function richText(part, names) {
  const children = () => part.elements.map((element) => inline(element, names));
  if (part.type === "rich_text_list") {
    const items = part.elements.map((item) => h("li", {}, ...item.elements.map((element) => inline(element, names))));
    const ordered = part.style === "ordered";
    const begin = ordered && part.offset ? { start: part.offset + 1 } : {};
    return h(ordered ? "ol" : "ul", { class: `indent-${Math.min(part.indent ?? 0, DEEPEST)}`, ...begin }, ...items);
  }
  if (part.type === "rich_text_quote") return h("blockquote", {}, ...children());
  if (part.type === "rich_text_preformatted") return h("pre", { tabindex: "0" }, ...children());
  return h("div", { class: "rich" }, ...children());
}

const INLINE = {
  link: (element) => styled(link(element.url, element.text || element.url), element.style),
  user: (element, names) => mention(element.user_id, names),
  usergroup: (element, names) => mention(element.usergroup_id, names),
  channel: (element, names) => h("span", { class: "mention" }, `#${names.get(element.channel_id) ?? element.channel_id}`),
  broadcast: (element) => h("span", { class: "mention" }, `@${element.range}`),
  emoji: (element) => emoji(element.name) ?? `:${element.name}:`,
  date: (element) => element.fallback ?? new Date(element.timestamp * 1000).toLocaleString(),
};

function inline(element, names) {
  const known = INLINE[element.type];
  return known ? known(element, names) : styled(h("span", {}, ...drawn(element.text ?? "")), element.style);
}

function styled(node, style = {}) {
  const tags = { bold: "strong", italic: "em", strike: "s", code: "code" };
  return Object.keys(tags).reduce((inner, name) => (style[name] ? h(tags[name], {}, inner) : inner), node);
}
