// The question before something is done.

import { h } from "./dom.js";
import { mrkdwn, plain } from "./mrkdwn.js";

const dialog = document.getElementById("confirm");

/** Ask the person; true when they agree. Escape is a no. */
export function confirmed({ title, text, confirm, deny, style }) {
  return new Promise((resolve) => {
    let agreed = false;
    const done = (answer) => () => {
      agreed = answer;
      dialog.close();
    };
    const words = text.type === "mrkdwn" ? mrkdwn(text.text, new Map()) : plain(text.text);
    dialog.replaceChildren(
      h("header", {}, h("h2", { id: "confirm-title" }, plain(title.text))),
      h("div", { class: "modal-body" }, words),
      h(
        "footer",
        {},
        h("button", { type: "button", class: "button", click: done(false) }, plain(deny.text)),
        h("button", { type: "button", class: `button ${style === "danger" ? "danger" : "primary"}`, autofocus: true, click: done(true) }, plain(confirm.text)),
      ),
    );
    dialog.onclose = () => resolve(agreed);
    dialog.showModal();
  });
}
