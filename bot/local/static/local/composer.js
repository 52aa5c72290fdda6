// The field to write in.

import { h, icon } from "./dom.js";

const drafts = new Map(); // what was typed and not sent, by place

/**
 * A form for messages. id: of its text field; say(text): sends, and throws when that failed.
 * Enter sends, Shift and Enter begin a new line.
 */
export function makeComposer(id, say) {
  const field = h("textarea", { id, rows: 1, maxlength: 12000, autocomplete: "off" });
  const label = h("label", { class: "visually-hidden", for: id });
  const button = h("button", { type: "submit", class: "send", "aria-label": "Send" }, icon("send"));
  const suggestions = h("div", { class: "suggestions", role: "group", "aria-label": "Questions to start with" });
  const form = h("form", { class: "composer" }, suggestions, label, h("div", { class: "field" }, field, button));
  const state = { place: "", prefix: "" };

  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, 180)}px`;
    button.disabled = !field.value.trim();
    drafts.set(state.place, field.value);
  };
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
    if (!text || form.hasAttribute("aria-busy")) return;
    form.setAttribute("aria-busy", "true");
    try {
      if (await say(text)) fill("");
    } finally {
      form.removeAttribute("aria-busy");
    }
  });

  return {
    form,
    fill,
    /** Turn to another place: its draft, its label and the questions it suggests. */
    turnTo({ place, name, hint, prefix, questions }) {
      label.textContent = name;
      field.placeholder = hint;
      state.prefix = prefix;
      const chips = questions.map((text) => h("button", { type: "button", class: "suggestion", click: () => fill(state.prefix + text) }, text));
      if (suggestions.dataset.of !== JSON.stringify(questions)) suggestions.replaceChildren(...chips);
      suggestions.dataset.of = JSON.stringify(questions);
      if (place === state.place) return;
      state.place = place;
      field.value = drafts.get(place) ?? "";
      grow();
    },
  };
}
