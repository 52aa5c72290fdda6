// Building the page from nodes. Text always becomes a text node, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; an attribute that is a function listens to the event of its name. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** One of the icons that the page brings along. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A link, or its bare label when the address is not one that may be followed. */
export function link(url, ...label) {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return h("span", {}, ...label);
  return h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...label);
}

/** A person's or Footnote's picture: their initials on a colour of their own. */
export function avatar(id, name, isBot = false) {
  const initials = name.split(/\s+/).map((word) => word[0] ?? "").join("").slice(0, 2).toUpperCase();
  const node = h("span", { class: isBot ? "avatar bot" : "avatar", "aria-hidden": "true" }, isBot ? "F¹" : initials);
  let hue = 7;
  for (const char of id) hue = (hue * 31 + char.charCodeAt(0)) % 360;
  node.style.setProperty("--hue", hue);
  return node;
}

/**
 * Make a container show these items. A node whose item is unchanged stays, so that focus, selection and open
 * details survive; where a node is replaced, focus returns to the control of the same name.
 */
export function reconcile(container, items, keyOf, render) {
  const old = new Map([...container.children].map((node) => [node.dataset.key, node]));
  const nodes = items.map((item) => {
    const key = keyOf(item);
    const print = JSON.stringify(item);
    const kept = old.get(key);
    if (kept && kept.print === print) return kept;
    const node = render(item);
    node.dataset.key = key;
    node.print = print;
    return node;
  });
  const focused = container.contains(document.activeElement) ? document.activeElement : null;
  const owner = focused?.closest("[data-key]")?.dataset.key;
  const control = focused?.dataset.control;
  nodes.forEach((node, i) => {
    if (container.children[i] !== node) container.insertBefore(node, container.children[i] ?? null);
  });
  while (container.children.length > nodes.length) container.lastChild.remove();
  if (focused && control && !container.contains(focused)) {
    const home = nodes.find((node) => node.dataset.key === owner);
    home?.querySelector(`[data-control="${CSS.escape(control)}"]`)?.focus();
  }
}
