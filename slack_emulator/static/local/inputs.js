// What can be entered and chosen.

import { h } from "./dom.js";
import { CONTROLS } from "./controls.js";
import { plain } from "./mrkdwn.js";
import { use } from "./use.js";

const SEVERAL = new Set(["checkboxes", "multi_static_select"]);
const GROUPS = new Set(["checkboxes", "radio_buttons"]);
let made = 0; // for ids that are unique on the page

/** True for an element that holds a value. */
export function isInput(item) {
  return item.type in CONTROLS;
}

/** An input with its label, hint and place for an error; in other blocks than `input`, the bare control. */
export function field(block, context) {
  const item = block.element;
  const id = `input-${++made}`;
  const inForm = block.type === "input";
  const began = context.entered?.(block, item) ?? initial(item);
  const name = inForm ? { "aria-labelledby": `${id}-label` } : { "aria-label": item.placeholder ? plain(item.placeholder.text) : plain(block.text?.text ?? "Choice") };
  const described = inForm ? { "aria-describedby": `${id}-hint ${id}-error` } : {};
  const control = CONTROLS[item.type](item, { id, began, attributes: { ...name, ...described, "data-control": item.action_id } });
  Object.assign(control.node, { block: block.block_id, action: item.action_id, read: control.read });
  control.node.setAttribute("data-input", "");
  if (item.focus_on_load) control.node.setAttribute("data-first", "");
  if (!inForm || block.dispatch_action) tellChanges(control, block, context, began);
  if (!inForm) return control.node;
  return [
    h(GROUPS.has(item.type) ? "span" : "label", { id: `${id}-label`, for: GROUPS.has(item.type) ? null : id, class: "label" }, plain(block.label.text), block.optional && h("span", { class: "optional" }, " (optional)")),
    control.node,
    h("p", { id: `${id}-hint`, class: "field-hint" }, block.hint && plain(block.hint.text)),
    h("p", { id: `${id}-error`, class: "field-error", role: "alert" }),
  ];
}

/** Show what is wrong at each field, by block, and take away what was shown; the first one gets the focus. */
export function showErrors(root, errors) {
  let first = null;
  for (const node of root.querySelectorAll("[data-input]")) {
    const wrong = errors[node.block] ?? "";
    const place = node.closest(".block").querySelector(".field-error");
    if (!place) continue;
    place.textContent = wrong;
    const control = node.matches("input, textarea, select") ? node : node.querySelector("input, summary");
    control.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (wrong) first ??= control;
  }
  first?.focus();
}

/** Tell of each change; one that the person does not confirm is taken back. */
function tellChanges({ node, changes, read, write }, block, context, began) {
  let last = JSON.stringify(began);
  changes(async () => {
    const now = JSON.stringify(read());
    if (now === last) return;
    if (await use(node, block, block.element, context, read())) last = now;
    else write(JSON.parse(last));
  });
}

function initial(item) {
  if (SEVERAL.has(item.type)) return (item.initial_options ?? []).map(({ value }) => value);
  return item.initial_value ?? item.initial_option?.value ?? "";
}
