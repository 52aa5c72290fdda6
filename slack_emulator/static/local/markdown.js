// The part of Markdown that Slack's markdown block shows, as nodes.

import { h, link } from "./dom.js";
import { frame } from "./table.js";

const INLINE = new RegExp(
  [
    "\\\\(?<escaped>[\\\\`*_~\\[\\]()#>+.!-])",
    "`(?<code>[^`\\n]+)`",
    "\\[(?<label>[^\\]\\n]+)\\]\\((?<url>[^()\\s]+(?:\\([^()\\s]*\\)[^()\\s]*)*)\\)",
    "\\*\\*(?<bold>\\S|\\S.*?\\S)\\*\\*",
    "(?<![\\w])__(?<under>\\S|\\S.*?\\S)__(?![\\w])",
    "\\*(?<italic>[^\\s*]|[^\\s*][^*]*?[^\\s*])\\*",
    "(?<![\\w_])_(?<slant>[^\\s_]|[^\\s_][^_]*?[^\\s_])_(?![\\w_])",
    "~~(?<strike>\\S|\\S.*?\\S)~~",
  ].join("|"),
  "g",
);

/** A whole text: headings, lists, quotes, fenced code, tables, rules and paragraphs. */
export function markdown(text) {
  const rest = text.split("\n");
  const nodes = [];
  while (rest.length) {
    const node = block(rest);
    if (node) nodes.push(node);
  }
  return nodes;
}

/** Take one block off the front of the lines. */
function block(rest) {
  const first = rest.shift();
  const heading = /^(#{1,6}) +(.*?)#*$/.exec(first);
  if (!first.trim()) return null;
  if (heading) return h("p", { class: `heading level-${heading[1].length}` }, ...inline(heading[2]));
  if (/^```/.test(first)) return h("pre", {}, takeFence(rest).join("\n"));
  if (/^ {0,3}([-*_])( *\1){2,} *$/.test(first)) return h("hr");
  if (/^> ?/.test(first)) {
    const quoted = [first, ...takeWhile(rest, (line) => /^> ?/.test(line))];
    return h("blockquote", {}, ...markdown(quoted.map((line) => line.replace(/^> ?/, "")).join("\n")));
  }
  if (isRow(first) && RULE.test(rest[0] ?? "")) return tableOf([first, ...takeWhile(rest, isRow)]);
  if (itemOf(first)) return list([first, ...takeWhile(rest, (line) => itemOf(line) || /^\s+\S/.test(line))]);
  const more = takeWhile(rest, (line) => line.trim() && !/^(#{1,6} |```|> ?)/.test(line) && !itemOf(line));
  return h("p", {}, ...[first, ...more].flatMap((line, i) => (i ? [h("br"), ...inline(line)] : inline(line))));
}

const RULE = /^ *\|?( *:?-+:? *\|)+( *:?-+:? *)?$/;

function isRow(line) {
  return /^ *\|.*\| *$/.test(line);
}

function tableOf([heading, rule, ...rows]) {
  const cells = (line) => line.trim().slice(1, -1).split(/(?<!\\)\|/).map((cell) => cell.trim());
  const aligns = cells(rule).map((mark) => (/^:.*:$/.test(mark) ? "center" : mark.endsWith(":") ? "right" : "left"));
  return frame([heading, ...rows].map((line) => cells(line).map((cell) => inline(cell.replace("\\|", "|")))), (i) => ({ class: `align-${aligns[i] ?? "left"}` }));
}

function list(lines) {
  const top = itemOf(lines[0]);
  const node = h(top.ordered ? "ol" : "ul", top.ordered ? { start: top.number } : {});
  while (lines.length) {
    const item = itemOf(lines.shift());
    const inner = takeWhile(lines, (line) => (itemOf(line)?.indent ?? Infinity) > top.indent);
    const step = Math.min(...inner.map((line) => line.search(/\S/)));
    node.append(h("li", {}, ...inline(item.text), ...markdown(inner.map((line) => line.slice(step)).join("\n"))));
  }
  return node;
}

function itemOf(line) {
  const match = /^(\s*)(?:([-*+])|(\d{1,4})[.)]) +(.*)$/.exec(line);
  if (!match) return null;
  return { indent: match[1].length, ordered: Boolean(match[3]), number: match[3], text: match[4] };
}

function takeWhile(rest, fits) {
  const taken = [];
  while (rest.length && fits(rest[0])) taken.push(rest.shift());
  return taken;
}

function takeFence(rest) {
  const code = takeWhile(rest, (line) => !/^```\s*$/.test(line));
  rest.shift();
  return code;
}

function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) nodes.push(text.slice(end, match.index));
    nodes.push(token(match.groups));
    end = match.index + match[0].length;
  }
  if (end < text.length) nodes.push(text.slice(end));
  return nodes;
}

function token({ escaped, code, label, url, bold, under, italic, slant, strike }) {
  if (escaped) return escaped;
  if (code) return h("code", {}, code);
  if (url) return link(url, ...inline(label));
  if (bold || under) return h("strong", {}, ...inline(bold || under));
  if (italic || slant) return h("em", {}, ...inline(italic || slant));
  return h("s", {}, ...inline(strike));
}
