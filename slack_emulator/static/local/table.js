// Tables.

import { h } from "./dom.js";
import { plain } from "./mrkdwn.js";
import { richText } from "./richtext.js";

const ROWS_OF_A_PAGE = 5; // unless the table says otherwise

/** Slack's table block: its first row is the heading. */
export function table(block, context) {
  const settings = block.column_settings ?? [];
  const look = (column) => ({ class: `align-${settings[column]?.align ?? "left"} ${settings[column]?.is_wrapped ? "wrapped" : ""}` });
  return frame(block.rows.map((row) => row.map((item) => cell(item, context))), look);
}

/** Slack's data table: its caption above it, a page of rows at a time. */
export function dataTable(block, context) {
  const [head, ...rows] = block.rows.map((row) => row.map((item) => cell(item, context)));
  const size = block.page_size ?? ROWS_OF_A_PAGE;
  const caption = h("p", { class: "table-caption" }, plain(block.caption));
  if (rows.length <= size) return [caption, frame([head, ...rows], () => ({ class: "align-left wrapped" }))];
  const shown = h("div", {});
  const more = h("button", { type: "button", class: "button", click: () => show(rows.length) }, `Show all ${rows.length} rows`);
  const show = (count) => {
    shown.replaceChildren(frame([head, ...rows.slice(0, count)], () => ({ class: "align-left wrapped" })));
    more.hidden = count >= rows.length;
  };
  show(size);
  return [caption, shown, more];
}

/** Rows of cells, each a list of nodes, in a frame that scrolls sideways. */
export function frame([heading, ...rows], look) {
  const head = h("thead", {}, h("tr", {}, ...heading.map((nodes, i) => h("th", { scope: "col", ...look(i) }, nodes))));
  const body = h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((nodes, i) => h("td", look(i), nodes)))));
  return h("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", {}, head, body));
}

function cell(item, context) {
  if (item.type === "rich_text") return item.elements.map((part) => richText(part, context.names));
  return [plain(String(item.text ?? item.value ?? ""))];
}
