// A small menu behind a button.

import { h, icon } from "./dom.js";

/** label: what the button says to who cannot see its icon. items: {label, act}. control: its name, for the focus. */
export function menu({ label, items, control, kind = "" }) {
  const summary = h("summary", { class: "icon", "aria-label": label, title: label, "data-control": control }, icon("more"));
  const node = h("details", { class: `menu ${kind}` }, summary);
  const close = () => {
    node.open = false;
    summary.focus();
  };
  const choose = (act) => () => {
    close();
    act();
  };
  node.append(h("ul", {}, ...items.map(({ label: text, act }) => h("li", {}, h("button", { type: "button", click: choose(act) }, text)))));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !node.open) return;
    event.preventDefault();
    event.stopPropagation(); // closes the menu, not what it is in
    close();
  });
  node.addEventListener("focusout", (event) => {
    if (event.relatedTarget && !node.contains(event.relatedTarget)) node.open = false;
  });
  return node;
}

document.addEventListener("click", (event) => {
  for (const node of document.querySelectorAll("details.menu[open]")) {
    if (!node.contains(event.target)) node.open = false;
  }
});
