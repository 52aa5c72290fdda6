// Cards of links below a message, and what a person who opens one is shown.

import { h, link } from "./dom.js";

const PROBLEMS = { not_found: "Not found", restricted: "You do not have access to this" };

/** The cards below a message. details: the card that was opened last. open(ref): opens one. */
export function cards(entities, details, open) {
  if (!entities?.length) return null;
  return h("div", { class: "entities" }, ...entities.map((entity) => card(entity, details, open)));
}

function card(entity, details, open) {
  const ref = entity.external_ref.id;
  const isOpen = details?.ref === ref;
  return h(
    "section",
    { class: "entity", "aria-label": titleOf(entity) },
    h("p", { class: "entity-kind" }, [entity.entity_payload.attributes.product_name, entity.entity_payload.attributes.display_type].filter(Boolean).join(" · ")),
    h("h4", {}, link(entity.url, titleOf(entity))),
    fields(entity),
    h("button", { type: "button", class: "button", "data-control": `details ${ref}`, click: () => open(ref) }, "Details"),
    isOpen && shown(details),
  );
}

function shown({ metadata, error }) {
  const body = metadata ? [h("h5", {}, titleOf(metadata)), fields(metadata)] : [h("p", {}, error ? (PROBLEMS[error.status] ?? error.custom_message ?? error.status) : "…")];
  return h("div", { class: "entity-details", role: "status", "aria-label": "Details" }, ...body);
}

function titleOf(entity) {
  return entity.entity_payload.attributes.title.text;
}

function fields({ entity_payload: { fields: own = {}, custom_fields: custom = [], display_order: order = [] } }) {
  const all = new Map([...Object.entries(own), ...custom.map((field) => [field.key, field])]);
  const keys = [...order.filter((key) => all.has(key)), ...[...all.keys()].filter((key) => !order.includes(key))];
  const rows = keys.map((key) => [all.get(key).label ?? key, all.get(key)]);
  return h("dl", {}, ...rows.map(([label, field]) => h("div", {}, h("dt", {}, label), h("dd", {}, field.type === "slack#/types/link" ? link(field.value, field.value) : String(field.value)))));
}
