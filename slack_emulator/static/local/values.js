// What the inputs of a message or a view hold.

/** What everything within a node holds, by block and action. */
export function valuesIn(root) {
  const values = {};
  for (const node of root.querySelectorAll("[data-input]")) {
    values[node.block] = { ...values[node.block], [node.action]: node.read() };
  }
  return values;
}

/** What everything in the same message or view holds. */
export function valuesAround(node) {
  const surface = node.closest("[data-surface]");
  return surface ? valuesIn(surface) : {};
}
