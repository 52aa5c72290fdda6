// Messages in a channel or a thread.

import { renderBlocks } from "./blocks.js";
import { cards } from "./entities.js";
import { avatar, h, icon, reconcile } from "./dom.js";
import { emoji } from "./emoji.js";
import { fileList } from "./files.js";
import { menu } from "./menu.js";
import { mrkdwn } from "./mrkdwn.js";
import { valuesIn } from "./values.js";

const NEAR_END = 80; // pixels from the end within which the list follows new messages
const scrolledBack = new WeakSet(); // lists whose reader is further up

/** Keep the newest message of a list in sight, also when what stands below the list takes room or gives it back. */
export function followNewest(list) {
  let height = list.clientHeight;
  list.addEventListener("scroll", () => {
    if (list.clientHeight !== height) return; // nobody scrolled: there is less room
    const isAway = list.scrollHeight - list.scrollTop - list.clientHeight >= NEAR_END;
    scrolledBack[isAway ? "add" : "delete"](list);
  });
  new ResizeObserver(() => {
    height = list.clientHeight;
    stay(list);
  }).observe(list);
}

function stay(list) {
  if (!scrolledBack.has(list)) list.scrollTop = list.scrollHeight;
}

/** Show the messages in the list; it follows the newest unless the person has scrolled back. */
export function showMessages(list, messages, context) {
  if (list.dataset.place !== context.place) scrolledBack.delete(list);
  list.dataset.place = context.place;
  reconcile(
    list,
    messages.map((message) => ({ ...message, place: context.place, chosen: context.chosenIn(message), details: message.cards?.length ? context.details : null })),
    (message) => `${message.place}/${message.ts}`,
    (message) => render(message, { ...context, entered: enteredIn(list, message) }),
  );
  stay(list);
}

function render(message, context) {
  const isBot = Boolean(message.bot_id);
  const name = context.names.get(message.user) ?? "Somebody who left";
  const body = message.blocks?.length
    ? renderBlocks(message.blocks, {
        names: context.names,
        me: context.me,
        press: (block, element, given, values) => context.press(message, block, element, given, values),
        entered: (block, element) => context.entered[block.block_id]?.[element.action_id],
        chosen: (element) => message.chosen?.[element.action_id],
      })
    : mrkdwn(message.text, context.names);
  return h(
    "article",
    { class: message.only_you ? "message only-you" : "message", "data-ts": message.ts, "data-surface": "", "aria-label": `${name}, ${clock(message.ts)}`, "aria-busy": isGrowing(message) ? "true" : null },
    avatar(message.user, name, isBot),
    h(
      "div",
      { class: "message-body" },
      h(
        "header",
        {},
        h("strong", { class: "author" }, name),
        isBot && h("span", { class: "badge" }, "App"),
        h("time", { datetime: date(message.ts).toISOString(), title: date(message.ts).toLocaleString() }, clock(message.ts)),
        message.edited && !isBot && h("span", { class: "edited" }, "edited"),
        message.only_you && h("span", { class: "edited" }, "only visible to you"),
      ),
      h("div", { class: "message-content" }, ...body, isGrowing(message) && h("span", { class: "caret", "aria-hidden": "true" })),
      message.files && fileList(message.files),
      cards(message.cards, message.details, (ref) => context.openCard(message, ref)),
      reactions(message),
      replies(message, name, context),
    ),
    shortcuts(message, name, context),
  );
}

/** What the message's inputs hold, where it is on the page already. */
function enteredIn(list, message) {
  const shown = list.querySelector(`[data-ts="${CSS.escape(message.ts)}"]`);
  return shown ? valuesIn(shown) : {};
}

function reactions(message) {
  if (!message.reactions?.length) return null;
  const chips = message.reactions.map(({ name }) => h("span", { class: "reaction", title: `Footnote reacted with ${name}` }, emoji(name) ?? `:${name}:`));
  return h("div", { class: "reactions" }, ...chips);
}

function shortcuts(message, name, context) {
  if (message.only_you || !context.shortcuts.length) return null;
  const items = context.shortcuts.map((shortcut) => ({ label: shortcut.name, act: () => context.useShortcut(message, shortcut) }));
  return menu({ label: `More, for the message of ${name} at ${clock(message.ts)}`, items, control: "more", kind: "at-message" });
}

function replies(message, name, context) {
  if (!context.openThread || message.only_you) return null;
  const count = message.reply_count;
  const label = count ? `${count} ${count === 1 ? "reply" : "replies"}` : "Reply in thread";
  return h(
    "button",
    {
      type: "button",
      class: count ? "replies" : "replies quiet",
      "data-control": "replies",
      "aria-label": `${label}, to ${name} at ${clock(message.ts)}`,
      click: () => context.openThread(message.ts),
    },
    icon("reply"),
    label,
  );
}

function isGrowing(message) {
  return message.streaming_state === "in_progress";
}

function date(ts) {
  return new Date(Number(ts) * 1000);
}

function clock(ts) {
  return date(ts).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}
