// What can be pressed.

import { h, icon, link } from "./dom.js";
import { drawn } from "./emoji.js";
import { menu } from "./menu.js";
import { plain } from "./mrkdwn.js";
import { use } from "./use.js";

/** The node of an element that is pressed. */
export function element(block, item, context) {
  const render = ELEMENTS[item.type];
  if (render) return render(block, item, context);
  return h("span", { class: "unknown" }, item.alt_text ?? `An element of the type “${item.type}” cannot be shown on this page.`);
}

const ELEMENTS = {
  button: (block, item, context) => {
    const label = drawn(plain(item.text.text));
    if (item.url) {
      const anchor = link(item.url, ...label);
      anchor.classList.add("button");
      anchor.addEventListener("click", () => use(anchor, block, item, context));
      return anchor;
    }
    return pressable(`button ${item.style ?? ""}`, item, block, context, {}, label);
  },
  icon_button: (block, item, context) => {
    if (item.visible_to_user_ids && !item.visible_to_user_ids.includes(context.me)) return null;
    return pressable("button beside", item, block, context, { title: plain(item.text.text), "aria-label": item.accessibility_label ?? plain(item.text.text) }, icon("trash"));
  },
  overflow: (block, item, context) => {
    const items = item.options.map(({ text, value, url }) => ({
      label: plain(text.text),
      act: () => {
        if (url) link(url).click();
        return use(node, block, item, context, value);
      },
    }));
    const node = menu({ label: "More actions", items, control: item.action_id });
    return node;
  },
  image: (_block, item) => h("span", { class: "picture" }, icon("image"), item.alt_text),
  feedback_buttons: (block, item, context) => {
    const half = (choice, name) => {
      const part = item[`${choice}_button`];
      const attributes = {
        "aria-label": part.accessibility_label,
        "aria-pressed": String(context.chosen(item) === choice),
        "data-control": `${item.action_id}/${choice}`,
      };
      return pressable("button feedback", item, block, context, attributes, [icon(name), withoutThumb(plain(part.text.text))], choice);
    };
    return h("div", { class: "feedback-pair", role: "group", "aria-label": "Feedback" }, half("positive", "up"), half("negative", "down"));
  },
};

/** The words of a vote, whose thumb is drawn beside them. */
function withoutThumb(words) {
  return words.replace(/[👍👎]/gu, "").trim();
}

function pressable(kind, item, block, context, attributes, label, given) {
  const defaults = { "aria-label": item.accessibility_label, "data-control": item.action_id };
  const press = (event) => {
    const node = event.currentTarget;
    return pressOnce(node, () => use(node, block, item, context, given));
  };
  return h("button", { type: "button", class: kind, ...defaults, ...attributes, click: press }, label);
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
