// The controls of inputs: each has a node, what it holds (read, write), and tells when that changed.

import { h } from "./dom.js";
import { plain } from "./mrkdwn.js";
import { text } from "./text.js";

export const CONTROLS = {
  plain_text_input: (item, { id, began, attributes }) => {
    const node = h(item.multiline ? "textarea" : "input", {
      id,
      class: "entry",
      rows: item.multiline ? 4 : null,
      type: item.multiline ? null : "text",
      maxlength: item.max_length ?? 3000,
      placeholder: item.placeholder && plain(item.placeholder.text),
      autocomplete: "off",
      ...attributes,
    });
    node.value = began;
    // As in Slack, text is told on Enter and not when the field is left.
    const changes = (tell) => node.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && !event.shiftKey && tell());
    return { ...single(node, "change"), changes };
  },
  static_select: (item, { id, began, attributes }) => {
    const none = h("option", { value: "" }, item.placeholder ? plain(item.placeholder.text) : "Choose …");
    const node = h("select", { id, class: "entry", ...attributes }, none, ...optionNodes(item));
    node.value = began;
    return single(node, "change");
  },
  radio_buttons: (item, options) => {
    const group = choices("radio", item.options, options);
    return { ...group, read: () => group.read()[0] ?? "", write: (value) => group.write([value]) };
  },
  checkboxes: (item, options) => choices("checkbox", item.options, options),
  multi_static_select: (item, options) => {
    const all = item.options ?? item.option_groups.flatMap((group) => group.options);
    const group = choices("checkbox", all, { ...options, id: `${options.id}-list` });
    const { "aria-labelledby": label, "aria-label": bare, "data-control": control } = options.attributes;
    const names = label ? { "aria-labelledby": `${label} ${options.id}` } : { title: bare };
    const summary = h("summary", { id: options.id, class: "entry", "data-control": control, ...names });
    const node = h("details", { class: "several" }, summary, group.node);
    const name = () => {
      const chosen = group.read().map((value) => plain(all.find((option) => option.value === value).text.text));
      summary.textContent = chosen.join(", ") || (item.placeholder ? plain(item.placeholder.text) : "Choose …");
    };
    name();
    group.changes(name);
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !node.open) return;
      event.preventDefault(); // closes the list, not the window that it is in
      event.stopPropagation();
      node.open = false;
      summary.focus();
    });
    const write = (values) => {
      group.write(values);
      name();
    };
    // As in Slack, the choice is told when the list closes.
    return { node, read: group.read, write, changes: (tell) => node.addEventListener("toggle", () => node.open || tell()) };
  },
};

function single(node, event) {
  return {
    node,
    read: () => node.value,
    write: (value) => {
      node.value = value;
    },
    changes: (tell) => node.addEventListener(event, tell),
  };
}

function choices(type, options, { id, began, attributes }) {
  const chosen = new Set([began].flat());
  const boxes = options.map((option, i) => {
    const { "data-control": control } = attributes;
    const box = h("input", { type, id: `${id}-${i}`, name: id, value: option.value, "data-control": `${control}/${option.value}` });
    box.checked = chosen.has(option.value);
    return box;
  });
  const rows = options.map((option, i) =>
    h(
      "label",
      { class: "choice" },
      boxes[i],
      h("span", {}, text(option.text, { names: new Map() }), option.description && h("span", { class: "description" }, text(option.description, { names: new Map() }))),
    ),
  );
  const { "data-control": _, ...named } = attributes;
  const node = h("div", { class: "choices", role: type === "radio" ? "radiogroup" : "group", ...named }, ...rows);
  return {
    node,
    read: () => boxes.filter((box) => box.checked).map((box) => box.value),
    write: (values) => boxes.forEach((box) => (box.checked = values.includes(box.value))),
    changes: (tell) => node.addEventListener("change", tell),
  };
}

function optionNodes(item) {
  const option = ({ text: label, value }) => h("option", { value }, plain(label.text));
  if (item.options) return item.options.map(option);
  return item.option_groups.map((group) => h("optgroup", { label: plain(group.label.text) }, ...group.options.map(option)));
}
