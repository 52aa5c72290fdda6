// Using an element: pressing it, or choosing something in it.

import { confirmed } from "./confirm.js";
import { valuesAround } from "./values.js";

/** Tell Footnote that the element was used, once the person has confirmed it. False when they did not. */
export async function use(node, block, item, context, given) {
  if (item.confirm && !(await confirmed(item.confirm))) return false;
  await context.press(block, item, given, valuesAround(node));
  return true;
}
