// The emoji that Footnote uses, drawn by the page: a machine without a font for them would show empty boxes.

import { h, icon } from "./dom.js";

// Slack's names, with the character and the drawing of each.
const EMOJI = {
  eyes: ["👀", "eyes"],
  hourglass: ["⌛", "hourglass"],
  hourglass_flowing_sand: ["⏳", "hourglass"],
  mag: ["🔍", "search"],
  lock: ["🔒", "lock"],
  white_check_mark: ["✅", "done"],
  warning: ["⚠", "warning"],
  x: ["❌", "close"],
  "+1": ["👍", "up"],
  "-1": ["👎", "down"],
  thumbsup: ["👍", "up"],
  thumbsdown: ["👎", "down"],
  books: ["📚", "books"],
  page_facing_up: ["📄", "file"],
  speech_balloon: ["💬", "reply"],
  bulb: ["💡", "bulb"],
  wave: ["👋", "wave"],
};
const NAMES = new Map(Object.entries(EMOJI).map(([name, [character]]) => [character, name]));
const CHARACTERS = new RegExp(`(${[...NAMES.keys()].join("|")})\\uFE0F?`, "u");

/** The drawing for a name, or null. */
export function emoji(name) {
  if (!Object.hasOwn(EMOJI, name)) return null;
  return h("span", { class: `emoji ${EMOJI[name][1]}`, role: "img", "aria-label": name.replaceAll("_", " ") }, icon(EMOJI[name][1]));
}

/** A text whose emoji are drawings, as nodes and strings. */
export function drawn(text) {
  return text.split(CHARACTERS).map((part) => (NAMES.has(part) ? emoji(NAMES.get(part)) : part));
}
