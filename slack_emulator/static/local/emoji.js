// The emoji that Footnote uses, by Slack's names.

const EMOJI = {
  eyes: "👀",
  hourglass: "⌛",
  hourglass_flowing_sand: "⏳",
  mag: "🔍",
  lock: "🔒",
  white_check_mark: "✅",
  warning: "⚠️",
  x: "❌",
  "+1": "👍",
  "-1": "👎",
  thumbsup: "👍",
  thumbsdown: "👎",
  books: "📚",
  page_facing_up: "📄",
  speech_balloon: "💬",
  bulb: "💡",
  wave: "👋",
};

/** The character for a name, or null. */
export function emoji(name) {
  return EMOJI[name] ?? null;
}
