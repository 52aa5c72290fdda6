// Slack's own markup, as nodes.

import { h, link } from "./dom.js";
import { drawn, emoji } from "./emoji.js";

const INLINE = new RegExp(
  [
    "`(?<code>[^`\\n]+)`",
    "<(?<ref>[^<>\\n]+)>",
    "(?<![\\w*])\\*(?<bold>\\S|\\S[^*\\n]*?\\S)\\*(?![\\w*])",
    "(?<![\\w_])_(?<italic>\\S|\\S[^_\\n]*?\\S)_(?![\\w_])",
    "(?<![\\w~])~(?<strike>\\S|\\S[^~\\n]*?\\S)~(?![\\w~])",
    ":(?<emoji>[a-z0-9_+-]+):",
  ].join("|"),
  "g",
);

/** Text with the three entities that Slack escapes turned back. */
export function plain(text) {
  return text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
}

/** A whole text: fenced code, quotes, lists and lines. names: account id to name. */
export function mrkdwn(text, names) {
  return text.split(/```/).flatMap((part, i) => {
    if (i % 2) return [h("pre", {}, plain(part.replace(/^\n/, "")))];
    return part.trim() || i === 0 ? lines(part.replace(/^\n|\n$/g, ""), names) : [];
  });
}

function lines(text, names) {
  const nodes = [];
  for (const line of text.split("\n")) {
    const quote = /^(?:&gt;|>) ?(.*)$/.exec(line);
    const item = /^\s*(?:•|◦|-) +(.*)$/.exec(line);
    if (quote) into(nodes, "blockquote", ...inline(quote[1], names), h("br"));
    else if (item) into(nodes, "ul", h("li", {}, ...inline(item[1], names)));
    else nodes.push(h("div", { class: "line" }, ...inline(line, names)));
  }
  return nodes;
}

/** Append to the last node when it has that tag, else begin one. */
function into(nodes, tag, ...children) {
  const last = nodes.at(-1);
  if (last?.tagName === tag.toUpperCase()) last.append(...children);
  else nodes.push(h(tag, {}, ...children));
}

function inline(text, names) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) nodes.push(...drawn(plain(text.slice(end, match.index))));
    nodes.push(token(match, names));
    end = match.index + match[0].length;
  }
  if (end < text.length) nodes.push(...drawn(plain(text.slice(end))));
  return nodes;
}

function token(match, names) {
  const { code, ref, bold, italic, strike, emoji: name } = match.groups;
  if (code) return h("code", {}, plain(code));
  if (ref) return reference(ref, names);
  if (bold) return h("strong", {}, ...inline(bold, names));
  if (italic) return h("em", {}, ...inline(italic, names));
  if (strike) return h("s", {}, ...inline(strike, names));
  return emoji(name) ?? match[0];
}

function reference(ref, names) {
  const [target, label] = ref.split(/\|(.*)/s);
  if (target.startsWith("@")) return mention(target.slice(1), names, label);
  if (target.startsWith("!subteam^")) return mention(target.slice("!subteam^".length), names, label?.replace(/^@/, ""));
  if (target.startsWith("#")) return h("span", { class: "mention" }, `#${names.get(target.slice(1)) ?? plain(label || target.slice(1))}`);
  if (target.startsWith("!")) return h("span", {}, plain(label || `@${target.slice(1).split("^")[0]}`));
  return link(plain(target), plain(label || target));
}

/** The name of an account or a usergroup, set apart. */
export function mention(id, names, label) {
  return h("span", { class: "mention" }, `@${names.get(id) ?? plain(label || id)}`);
}
