// Slack's blocks, as nodes: those that Footnote uses.

import { h, icon, link } from "./dom.js";
import { markdown } from "./markdown.js";
import { mrkdwn, plain } from "./mrkdwn.js";
import { richText } from "./richtext.js";

/**
 * The nodes of a list of blocks.
 * context.names: account id to name; context.press(block, element, choice): tells Footnote of a press;
 * context.chosen(element): which of a pair of feedback buttons was pressed, if any.
 */
export function renderBlocks(blocks, context) {
  return blocks.map((block) => {
    const render = RENDERERS[block.type];
    if (render) return h("div", { class: `block ${block.type}` }, render(block, context));
    return h("p", { class: "block unknown" }, `A block of the type “${block.type}” cannot be shown on this page.`);
  });
}

const RENDERERS = {
  section: (block, context) => [
    h(
      "div",
      { class: "section-text" },
      block.text && text(block.text, context),
      block.fields && h("div", { class: "fields" }, ...block.fields.map((field) => h("div", {}, text(field, context)))),
    ),
    block.accessory && element(block, block.accessory, context),
  ],
  header: (block) => h("h3", {}, plain(block.text.text)),
  divider: () => h("hr"),
  context: (block, context) => block.elements.map((item) => h("div", { class: "context-item" }, text(item, context))),
  markdown: (block) => markdown(block.text),
  rich_text: (block, context) => block.elements.map((part) => richText(part, context.names)),
  actions: (block, context) => block.elements.map((item) => element(block, item, context)),
  context_actions: (block, context) => block.elements.map((item) => element(block, item, context)),
};

function text(item, context) {
  if (item.type === "plain_text") return plain(item.text).split("\n").map((line) => h("div", { class: "line" }, line));
  if (item.type === "mrkdwn") return mrkdwn(item.text, context.names);
  return h("span", { class: "unknown" }, item.alt_text ?? item.type);
}

function element(block, item, context) {
  if (item.type === "button") return button(block, item, context);
  if (item.type === "feedback_buttons") return feedback(block, item, context);
  return h("span", { class: "unknown" }, `An element of the type “${item.type}” cannot be shown on this page.`);
}

function button(block, item, context) {
  const label = plain(item.text.text);
  if (item.url) {
    const anchor = link(item.url, label);
    anchor.classList.add("button");
    anchor.addEventListener("click", () => context.press(block, item));
    return anchor;
  }
  return h(
    "button",
    {
      type: "button",
      class: `button ${item.style ?? ""}`,
      "aria-label": item.accessibility_label,
      "data-control": item.action_id,
      click: (event) => pressOnce(event.currentTarget, () => context.press(block, item)),
    },
    label,
  );
}

function feedback(block, item, context) {
  const half = (choice, name) => {
    const part = item[`${choice}_button`];
    return h(
      "button",
      {
        type: "button",
        class: "button feedback",
        "aria-label": part.accessibility_label,
        "aria-pressed": String(context.chosen(item) === choice),
        "data-control": `${item.action_id}/${choice}`,
        click: (event) => pressOnce(event.currentTarget, () => context.press(block, item, choice)),
      },
      icon(name),
      plain(part.text.text),
    );
  };
  return h("div", { class: "feedback-pair", role: "group", "aria-label": "Feedback" }, half("positive", "up"), half("negative", "down"));
}

/** Not `disabled` meanwhile: that would take the focus away from whoever uses the keyboard. */
async function pressOnce(node, press) {
  if (node.ariaBusy === "true") return;
  node.ariaBusy = "true";
  try {
    await press();
  } finally {
    node.ariaBusy = "false";
  }
}
