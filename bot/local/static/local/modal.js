// The modal that Footnote opened before the person.

import { renderBlocks } from "./blocks.js";
import { h, icon } from "./dom.js";
import { plain } from "./mrkdwn.js";

const dialog = document.getElementById("modal");

/** Show the view that is open, or none. context: names, press(view, block, element, choice), close(view). */
export function showView(view, context) {
  if (!view) {
    if (dialog.open) dialog.close();
    dialog.dataset.print = "";
    return;
  }
  const print = `${view.id}/${view.hash}`;
  if (dialog.dataset.print === print) return;
  dialog.dataset.print = print;
  dialog.replaceChildren(...content(view, context));
  dialog.oncancel = (event) => {
    event.preventDefault(); // the web process is told first; then there is no view any more
    context.close(view);
  };
  if (!dialog.open) dialog.showModal();
}

function content(view, context) {
  const close = () => context.close(view);
  const blocks = renderBlocks(view.blocks, {
    names: context.names,
    press: (block, element, choice) => context.press(view, block, element, choice),
    chosen: () => undefined,
  });
  return [
    h(
      "header",
      {},
      h("h2", { id: "modal-title" }, plain(view.title.text)),
      h("button", { type: "button", class: "icon", "aria-label": "Close this window", click: close }, icon("close")),
    ),
    h("div", { class: "modal-body", tabindex: "0" }, ...blocks),
    h("footer", {}, h("button", { type: "button", class: "button", click: close }, view.close ? plain(view.close.text) : "Close")),
  ];
}
