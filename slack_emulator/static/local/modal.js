// The modal that Footnote opened before the person.

import { renderBlocks } from "./blocks.js";
import { h, icon } from "./dom.js";
import { showErrors } from "./inputs.js";
import { plain } from "./mrkdwn.js";
import { valuesIn } from "./values.js";

const dialog = document.getElementById("modal");
const entered = new Map(); // what was entered in each view, for when it is drawn anew

/**
 * Show the view that is open, or none. context: names, press(view, block, element, given, values), close(view),
 * submit(view, values), which gives the errors by block.
 */
export function showView(view, context) {
  keepEntered();
  if (!view) {
    if (dialog.open) dialog.close();
    dialog.dataset.print = "";
    entered.clear();
    return;
  }
  const print = `${view.id}/${view.hash}`;
  if (dialog.dataset.print === print) return;
  const focused = dialog.contains(document.activeElement) ? document.activeElement.dataset.control : null;
  Object.assign(dialog.dataset, { print, view: view.id });
  dialog.replaceChildren(content(view, context));
  dialog.oncancel = (event) => {
    event.preventDefault(); // the web process is told first; then there is no view any more
    context.close(view);
  };
  if (!dialog.open) dialog.showModal();
  const home = focused && dialog.querySelector(`[data-control="${CSS.escape(focused)}"]`);
  (home || dialog.querySelector("[data-first]") || dialog.querySelector(".modal-body :is(input, textarea, select, summary)"))?.focus();
}

function keepEntered() {
  if (dialog.open && dialog.dataset.view) entered.set(dialog.dataset.view, valuesIn(dialog));
}

function content(view, context) {
  const close = () => context.close(view);
  const blocks = renderBlocks(view.blocks, {
    names: context.names,
    press: (block, element, given, values) => context.press(view, block, element, given, values),
    chosen: () => undefined,
    entered: (block, element) => entered.get(view.id)?.[block.block_id]?.[element.action_id],
  });
  const submit = view.submit && h("button", { type: "submit", class: "button primary" }, plain(view.submit.text));
  const away = view.previous_view_id ? "Back" : "Close";
  const form = h(
    "form",
    { class: "modal-form", novalidate: true, "data-surface": "" },
    h(
      "header",
      {},
      h("h2", { id: "modal-title" }, plain(view.title.text)),
      h("button", { type: "button", class: "icon", "aria-label": "Close this window", click: close }, icon("close")),
    ),
    h("div", { class: "modal-body", tabindex: "0" }, ...blocks),
    h("footer", {}, h("button", { type: "button", class: "button", click: close }, view.close ? plain(view.close.text) : away), submit),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (submit) send(form, submit, view, context);
  });
  return form;
}

async function send(form, button, view, context) {
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  try {
    showErrors(form, (await context.submit(view, valuesIn(form))) ?? {});
  } finally {
    button.ariaBusy = "false";
  }
}
