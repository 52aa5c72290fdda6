// The page: asks the web process again and again what the person sees, and shows it.

import { CallError, fetchState, forgetState, send } from "./api.js";
import { showAssistant } from "./assistant.js";
import { makeComposer } from "./composer.js";
import { h, reconcile } from "./dom.js";
import { showHome } from "./home.js";
import { followNewest, showMessages } from "./messages.js";
import { showView } from "./modal.js";
import { showPlaces } from "./places.js";

const POLL_MS = 700;
const HIDDEN_POLL_MS = 5000;
const $ = (id) => document.getElementById(id);

const here = { person: "", channel: "", thread: "", beside: "" }; // the thread is "home" on the Home tab
const HOME = "home";
const LAST = "footnote-last-person";
const chosen = new Map(); // feedback that was pressed on this page: person/message -> {action: choice}
let state = null;
let timer = 0;

const composer = makeComposer("composer-text", (text, files) => say(text, "", files));
const threadComposer = makeComposer("thread-text", (text, files) => say(text, here.thread, files));
$("composer").append(composer.form);
$("thread-composer").append(threadComposer.form);

function readAddress() {
  [here.person, here.channel, here.thread] = [...location.hash.replace(/^#\/?/, "").split("/"), "", "", ""].map(decodeURIComponent);
  here.person ||= localStorage.getItem(LAST) ?? ""; // a link to a message names nobody
}

/** Turn to another person, channel or thread. What is shown of the old place cannot be used until the new one is. */
function go(change) {
  if (["person", "channel"].some((part) => part in change && change[part] !== here[part])) setInert(true);
  Object.assign(here, change);
  history.replaceState(null, "", `#/${[here.person, here.channel, here.thread].filter(Boolean).map(encodeURIComponent).join("/")}`);
  closeSidebar();
  return refresh();
}

function setInert(inert) {
  for (const id of ["channels", "direct", "channel", "thread"]) $(id).inert = inert;
}

/** Fetch and show, and come back once the newest is shown. Calls overtake each other: only its answer is shown. */
let asked = 0;
let newest = Promise.resolve();
async function refresh() {
  let seen = (newest = fetchAndShow());
  await seen;
  while (seen !== newest) await (seen = newest);
}

async function fetchAndShow() {
  clearTimeout(timer);
  const turn = ++asked;
  try {
    const fetched = await fetchState(here);
    if (turn !== asked) return;
    $("connection").hidden = true;
    if (fetched) await accept(fetched);
    else setInert(false);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (turn !== asked) return;
    forgetState();
    $("connection").textContent = `${error.message} Trying again …`;
    $("connection").hidden = false;
  } finally {
    if (turn === asked) timer = setTimeout(refresh, document.hidden ? HIDDEN_POLL_MS : POLL_MS);
  }
}

async function accept(fetched) {
  if (!fetched.me) {
    if (fetched.start) await go({ person: fetched.start });
    return;
  }
  if (!fetched.channel && fetched.channels.length) {
    const direct = fetched.channels.find(({ type }) => type === "im"); // where everybody can ask, and reads most
    await go({ channel: (direct ?? fetched.channels[0]).id, thread: here.thread === HOME ? HOME : "" });
    return;
  }
  localStorage.setItem(LAST, here.person);
  state = fetched;
  show();
}

function show() {
  const names = namesOf(state);
  const channel = state.channels.find(({ id }) => id === state.channel);
  const context = { names, me: state.me, shortcuts: state.shortcuts, useShortcut, chosenIn: (message) => chosen.get(choiceKey(message)), press: pressInMessage, details: state.details, openCard };
  showBeside(channel);
  showPlaces(state, {
    turnTo: (id) => go({ channel: id, thread: "" }).then(() => openMessages(id)).then(() => $("composer-text").focus()),
    become: (id) => go({ person: id, thread: "" }).then(() => openMessages(here.channel)),
  });
  showMessages($("messages"), state.messages, { ...context, place: `${state.me}/${channel.id}`, openThread });
  showAssistant($("opening"), here.thread === HOME ? null : state.opening, (text) => say(text, ""));
  showEmpty(channel);
  turnComposers(channel);
  const inThread = here.thread && state.thread.length > 0;
  $("new-chat").hidden = state.is_agent || channel.type !== "im";
  showHome(state.home, channel.type === "im", { names, isOpen: here.thread === HOME, choose: chooseTab, press: pressInView });
  $("thread").hidden = !inThread;
  document.body.classList.toggle("with-thread", Boolean(inThread));
  const chat = state.thread[0]?.subtype === "assistant_app_thread" ? state.thread[0].text : "";
  $("thread-title").textContent = state.assistant?.title || chat || "Thread";
  $("thread-place").textContent = channel.type === "im" ? "with Footnote" : `in #${channel.name}`;
  showMessages($("replies"), inThread ? state.thread : [], { ...context, place: `${state.me}/${here.thread}` });
  showAssistant($("assistant"), inThread ? state.assistant : null, (text) => say(text, here.thread), stopWork);
  $("waiting").hidden = !inThread || Boolean(state.assistant?.status || state.assistant?.is_working) || !isUnanswered(state.thread.at(-1), channel);
  setInert(false);
  showView(state.view, {
    names,
    press: pressInView,
    submit: async (view, values) => (await act("views/submit", { view_id: view.id, values }))?.errors,
    close: (view) => act("views/close", { view_id: view.id }),
  });
}

/** What ids in a text stand for. */
function namesOf({ bot, people, usergroups, channels }) {
  const named = [bot, ...people, ...channels].map(({ id, name }) => [id, name]);
  return new Map([...named, ...usergroups.map(({ id, handle }) => [id, handle])]);
}

function showEmpty(channel) {
  if (state.messages.length) return;
  const direct = channel.type === "im";
  const examples = channel.suggestions.map((text) =>
    h("li", {}, h("button", { type: "button", class: "suggestion", click: () => composer.fill(asQuestion(channel, text)) }, text)),
  );
  const empty = h(
    "div",
    { class: "empty" },
    h("h2", {}, direct ? "Ask Footnote something" : "Ask @Footnote something"),
    h("p", {}, `It answers from documents, with a footnote for every sentence${examples.length ? ". For example:" : "."}`),
    h("ul", {}, ...examples),
  );
  reconcile($("messages"), [{ channel: channel.id, me: state.me, examples: channel.suggestions }], () => "empty", () => empty);
}

/** True until Footnote's first sign of work stands below a question. */
function isUnanswered(last, channel) {
  return !last.bot_id && (channel.type === "im" || last.text.includes(`<@${state.bot.id}>`));
}

function asQuestion(channel, text) {
  return channel.type === "im" ? text : `@${state.bot.name} ${text}`;
}

/** True once the person has written here: who has asked needs no examples. */
function hasAsked() {
  return state.messages.some(({ user }) => user === state.me);
}

function turnComposers(channel) {
  const direct = channel.type === "im";
  const name = direct ? "Footnote" : `#${channel.name}`;
  composer.turnTo({
    place: `${state.me}/${channel.id}`,
    name: `Message ${name}`,
    placeholder: direct ? "Ask Footnote …" : `Ask @Footnote in ${name} …`,
    suggestions: state.messages.length && !hasAsked() && !state.opening?.prompts.length ? channel.suggestions : [],
    written: (text) => asQuestion(channel, text),
    commands: state.commands,
  });
  threadComposer.turnTo({ place: `${state.me}/${channel.id}/${here.thread}`, name: "Reply in the thread", placeholder: "Reply …", suggestions: [], commands: [] });
}

/** Home or messages. Footnote hears when somebody opens the Home tab, and puts there what they may see. */
async function chooseTab(tab) {
  if (here.thread === tab) return;
  await go({ thread: tab });
  if (tab === HOME) await act("home", {});
  else await openMessages(here.channel);
}

/** An agent hears when somebody opens the messages with it, and may greet them and suggest questions. */
async function openMessages(id) {
  const channel = state?.channels.find((one) => one.id === id);
  if (state?.is_agent && channel?.type === "im") await act("messages/open", {});
}

async function beginChat() {
  const begun = await act("chats", {});
  if (begun?.undelivered) notify(begun.undelivered);
  if (begun) await openThread(begun.ts);
}

function stopWork() {
  return act("sessions/stop", { channel: state.channel, thread_ts: here.thread });
}

function useShortcut(message, shortcut) {
  return act("shortcuts", { channel: state.channel, ts: message.ts, callback_id: shortcut.callback_id });
}

function pressInView(view, block, element, given, values) {
  return act("actions", { view_id: view.id, block_id: block.block_id, action_id: element.action_id, given, values });
}

function openCard(message, ref) {
  return act("details", { channel: state.channel, ts: message.ts, ref });
}

/** Which channel is open beside the messages with an agent: Slack has two panes, this page a choice. */
function showBeside(channel) {
  $("beside-place").hidden = !state.is_agent || channel.type !== "im" || here.thread === HOME;
  const others = state.channels.filter(({ type }) => type !== "im").map(({ id, name }) => ({ id, name: `#${name}` }));
  if (!others.some(({ id }) => id === here.beside)) here.beside = "";
  reconcile($("beside"), [{ id: "", name: "no channel" }, ...others], ({ id }) => id || "none", ({ id, name }) => h("option", { value: id }, name));
  $("beside").value = here.beside;
}

function openThread(ts) {
  return go({ thread: ts }).then(() => $("thread-text").focus());
}

function closeThread() {
  return go({ thread: "" }).then(() => $("composer-text").focus());
}

/** Send a message; Footnote answers in its thread, so that is where a question leads. True when it was sent. */
async function say(text, thread, files = []) {
  if (text.startsWith("/") && !files.length) return command(text, thread);
  const sent = await act("messages", { channel: state.channel, thread_ts: thread, text, files, beside: here.beside });
  if (!sent) return false;
  if (sent.undelivered) notify(sent.undelivered);
  const direct = state.channels.find(({ id }) => id === state.channel)?.type === "im";
  if (!thread && (direct || /@footnote\b/i.test(text))) await openThread(sent.ts); // where the next question belongs
  return true;
}

/** Run a slash command, which Slack takes only outside of threads. */
async function command(text, thread) {
  if (!thread) return Boolean(await act("commands", { channel: state.channel, text }));
  notify("Commands cannot be used in threads: type it in the channel.");
  return false;
}

async function pressInMessage(message, block, element, given, values) {
  const place = { channel: state.channel, ts: message.ts, block_id: block.block_id, action_id: element.action_id };
  const done = await act("actions", { ...place, given, values });
  if (!done || element.type !== "feedback_buttons") return;
  chosen.set(choiceKey(message), { ...chosen.get(choiceKey(message)), [element.action_id]: given });
  show();
}

function choiceKey(message) {
  return `${state.me}/${state.channel}/${message.ts}`;
}

/** Tell the web process what the person did, and show what came of it. Null, and a notice, when it failed. */
async function act(path, body) {
  let answer = null;
  try {
    answer = await send(path, { as: state.me, ...body });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    notify(error.message);
  }
  await refresh();
  return answer;
}

let noticeTimer = 0;
function notify(text) {
  $("notice").textContent = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => $("notice").replaceChildren(), 8000);
}

function closeSidebar() {
  document.body.classList.remove("with-sidebar");
  $("menu").setAttribute("aria-expanded", "false");
}

$("menu").addEventListener("click", () => {
  const open = document.body.classList.toggle("with-sidebar");
  $("menu").setAttribute("aria-expanded", String(open));
});
$("new-chat").addEventListener("click", beginChat);
$("beside").addEventListener("change", () => {
  here.beside = $("beside").value;
  act("context", { beside: here.beside });
});
$("thread-close").addEventListener("click", closeThread);
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  if (document.body.classList.contains("with-sidebar")) closeSidebar();
  else if (here.thread && here.thread !== HOME) closeThread();
});
document.addEventListener("click", (event) => {
  if ($("members").open && !$("members").contains(event.target)) $("members").open = false;
});
document.addEventListener("visibilitychange", () => document.hidden || refresh());
window.addEventListener("hashchange", () => {
  readAddress();
  refresh();
});
for (const id of ["messages", "replies"]) followNewest($(id));
readAddress();
refresh().then(() => (here.thread === HOME ? act("home", {}) : openMessages(here.channel)));
