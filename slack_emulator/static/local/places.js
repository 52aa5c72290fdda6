// The sidebar and the heading: who the person is, where they are and who is there with them.

import { avatar, h, icon, reconcile } from "./dom.js";

// Whose rights count for an answer in a channel of this kind.
const READERS = {
  channel: "Public: answers use only what everyone in the workspace may read.",
  group: "Private: answers use only what every member may read.",
};

const $ = (id) => document.getElementById(id);

/** Show everything around the messages. turnTo(channelId) and become(personId) change what is shown. */
export function showPlaces(state, { turnTo, become }) {
  const people = new Map(state.people.map((person) => [person.id, person]));
  showPerson(state, people, become);
  const items = state.channels.map(({ id, name, type }) => ({ id, name, type, current: id === state.channel }));
  for (const [list, direct] of [[$("channels"), false], [$("direct"), true]]) {
    const places = items.filter(({ type }) => (type === "im") === direct);
    reconcile(list, places, ({ id }) => id, (item) => place(item, turnTo));
  }
  const current = state.channels.find((channel) => channel.id === state.channel);
  if (current) showHeading(current, people);
}

function showPerson(state, people, become) {
  const select = $("person");
  const options = state.people.map(({ id, name }) => ({ id, name }));
  reconcile(select, options, ({ id }) => id, ({ id, name }) => h("option", { value: id }, name));
  select.value = state.me;
  select.onchange = () => become(select.value);
  $("roles").replaceChildren(...roleTags(people.get(state.me)));
}

function place({ id, name, type, current }, turnTo) {
  const symbol = { im: "reply", group: "lock", channel: "hash" }[type];
  return h(
    "li",
    {},
    h(
      "button",
      { type: "button", "data-channel": id, "data-control": "place", "aria-current": current ? "page" : null, click: () => turnTo(id) },
      icon(symbol),
      name,
    ),
  );
}

function showHeading(channel, people) {
  const direct = channel.type === "im";
  const members = channel.members.map((id) => people.get(id)).filter(Boolean);
  $("channel-name").textContent = direct ? channel.name : `#${channel.name}`;
  $("channel-topic").textContent = direct
    ? "Only you read this: answers use everything that you may read."
    : `${READERS[channel.type]} ${channel.topic}`.trim();
  const details = $("members");
  details.hidden = direct;
  const faces = members.slice(0, 4).map(({ id, name }) => avatar(id, name));
  details.querySelector("summary").replaceChildren(h("span", { class: "faces" }, ...faces), `${members.length} ${members.length === 1 ? "member" : "members"}`);
  const rows = members.map((person) => h("li", {}, avatar(person.id, person.name), h("div", {}, h("strong", {}, person.name), h("span", { class: "roles" }, ...roleTags(person)))));
  details.querySelector("ul").replaceChildren(...rows);
  document.title = `${direct ? "" : "#"}${channel.name} – Footnote local page`;
}

function roleTags(person) {
  if (!person?.roles.length) return [h("span", { class: "role none" }, "no role: may read nothing")];
  return person.roles.map((role) => h("span", { class: "role" }, role));
}
