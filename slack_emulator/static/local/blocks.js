// Slack's blocks, as nodes.

import { h, icon } from "./dom.js";
import { card } from "./cards.js";
import { element } from "./elements.js";
import { field, isInput } from "./inputs.js";
import { markdown } from "./markdown.js";
import { plain } from "./mrkdwn.js";
import { richText } from "./richtext.js";
import { dataTable, table } from "./table.js";
import { plan, task } from "./tasks.js";
import { text } from "./text.js";

/**
 * The nodes of a list of blocks.
 * context.names: account id to name; context.press(block, element, given, values): tells Footnote of a use;
 * context.me: who looks, since some icons are for one person alone;
 * context.chosen(element): which of a pair of feedback buttons was pressed, if any;
 * context.entered(block, element): what was entered before these nodes were made anew, if anything.
 */
export function renderBlocks(blocks, context) {
  return blocks.map((block) => {
    const render = RENDERERS[block.type];
    if (render) return h("div", { class: `block ${block.type}`, "data-block": block.block_id }, render(block, context));
    return h("p", { class: "block unknown" }, `A block of the type “${block.type}” cannot be shown on this page.`);
  });
}

const RENDERERS = {
  section: (block, context) => [
    h(
      "div",
      { class: "section-text" },
      block.text && text(block.text, context),
      block.fields && h("div", { class: "fields" }, ...block.fields.map((item) => h("div", {}, text(item, context)))),
    ),
    block.accessory && any(block, block.accessory, context),
  ],
  header: (block) => h("h3", {}, plain(block.text.text)),
  divider: () => h("hr"),
  context: (block, context) => block.elements.map((item) => h("div", { class: "context-item" }, text(item, context))),
  markdown: (block) => markdown(block.text),
  rich_text: (block, context) => block.elements.map((part) => richText(part, context.names)),
  actions: (block, context) => block.elements.map((item) => any(block, item, context)),
  context_actions: (block, context) => block.elements.map((item) => any(block, item, context)),
  table: (block, context) => table(block, context),
  data_table: (block, context) => dataTable(block, context),
  card: (block, context) => card(block, context, any),
  alert: (block, context) => h("div", { class: `alert-text ${block.level ?? "default"}`, role: "note" }, icon(ALERTS[block.level] ?? "reply"), h("div", {}, text(block.text, context))),
  image: (block) => h("p", { class: "picture" }, icon("image"), h("span", {}, block.title && h("strong", {}, plain(block.title.text)), block.title && h("br"), block.alt_text)),
  task_card: (block, context) => task(block, context),
  plan: (block, context) => plan(block, context),
  input: (block, context) => field(block, context),
};

const ALERTS = { warning: "warning", error: "warning", success: "done", info: "bulb" };

function any(block, item, context) {
  if (isInput(item)) return field({ ...block, element: item }, context);
  return element(block, item, context);
}
