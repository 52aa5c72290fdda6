// Files to be sent, and files that were shared.

import { h, icon } from "./dom.js";

/** A paperclip, and the list of what will be sent. changed(): called when that changes. */
export function makePicker(id, changed) {
  // The button beside it stands for it: to screen readers and the keyboard there is one control.
  const input = h("input", { id, type: "file", multiple: true, class: "visually-hidden", tabindex: -1, "aria-hidden": "true" });
  const button = h("button", { type: "button", class: "icon clip", "aria-label": "Add files", title: "Add files", click: () => input.click() }, icon("clip"));
  const list = h("ul", { class: "files", "aria-label": "Files to send" });
  let files = [];
  const show = () => {
    list.replaceChildren(...files.map((file) => h("li", {}, chip(file, h("button", { type: "button", class: "icon", "aria-label": `Remove ${file.name}`, click: () => remove(file) }, icon("close"))))));
    changed();
  };
  const remove = (file) => {
    files = files.filter((kept) => kept !== file);
    show();
    button.focus();
  };
  input.addEventListener("change", () => {
    files = [...files, ...input.files];
    input.value = "";
    show();
  });
  return {
    button: h("span", {}, input, button),
    list,
    files: () => files,
    clear() {
      files = [];
      show();
    },
  };
}

/** The files of a message: their names alone, as the page opens none. */
export function fileList(files) {
  return h("ul", { class: "files", "aria-label": "Files" }, ...files.map((file) => h("li", {}, chip(file))));
}

function chip({ name, size }, more) {
  return h("span", { class: "file" }, icon("file"), h("span", { class: "file-name" }, name), h("span", { class: "file-size" }, sizeOf(size)), more);
}

function sizeOf(bytes) {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
