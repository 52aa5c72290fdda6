// The field to write in.

import { h, icon, reconcile } from "./dom.js";
import { makePicker } from "./files.js";

const drafts = new Map(); // what was typed and not sent, by place

/**
 * A form for messages. id: of its text field; say(text, files): sends, and throws when that failed.
 * Enter sends, Shift and Enter begin a new line.
 */
export function makeComposer(id, say) {
  const field = h("textarea", { id, rows: 1, maxlength: 12000, autocomplete: "off" });
  const label = h("label", { class: "visually-hidden", for: id });
  const button = h("button", { type: "submit", class: "send", "aria-label": "Send" }, icon("send"));
  const suggestions = h("div", { class: "suggestions", role: "group", "aria-label": "Questions to start with" });
  const picker = makePicker(`${id}-files`, () => grow());
  const hints = h("div", { class: "command-hints", role: "group", "aria-label": "Commands" });
  const form = h("form", { class: "composer" }, suggestions, hints, picker.list, label, h("div", { class: "field" }, picker.button, field, button));
  const state = { place: "", commands: [] };

  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, 180)}px`;
    button.disabled = !field.value.trim() && !picker.files().length;
    drafts.set(state.place, field.value);
    const fitting = field.value.startsWith("/") ? state.commands.filter(({ text }) => text.startsWith(field.value) && text !== field.value) : [];
    reconcile(hints, fitting, ({ text }) => text, hint);
  };
  const hint = ({ text, says }) =>
    h("button", { type: "button", class: "command-hint", click: () => fill(text) }, h("code", {}, text), h("span", {}, says));
  const fill = (text) => {
    field.value = text;
    grow();
    field.focus();
    field.setSelectionRange(text.length, text.length);
  };
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    const files = picker.files();
    if ((!text && !files.length) || form.hasAttribute("aria-busy")) return;
    form.setAttribute("aria-busy", "true");
    try {
      if (!(await say(text, files))) return;
      field.value = "";
      grow();
      picker.clear();
      if (form.contains(document.activeElement)) field.focus(); // not where the message led to a thread
    } finally {
      form.removeAttribute("aria-busy");
    }
  });

  return {
    form,
    fill,
    /**
     * Turn to another place: its draft, its label, the commands that can be typed, and what it suggests,
     * which `written` makes a message.
     */
    turnTo({ place, name, placeholder, suggestions: texts, written, commands }) {
      label.textContent = name;
      field.placeholder = placeholder;
      state.commands = commands;
      reconcile(
        suggestions,
        texts.map((text) => ({ text, place })),
        ({ text }) => text,
        ({ text }) => h("button", { type: "button", class: "suggestion", "data-control": "suggestion", click: () => fill(written(text)) }, text),
      );
      if (place === state.place) return;
      state.place = place;
      picker.clear();
      field.value = drafts.get(place) ?? "";
      grow();
    },
  };
}
