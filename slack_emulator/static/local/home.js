// The Home tab beside the direct messages.

import { renderBlocks } from "./blocks.js";
import { h, reconcile } from "./dom.js";
import { valuesIn } from "./values.js";

const $ = (id) => document.getElementById(id);

/** Show the tabs, and the view on the Home tab when it is open. context: names, isOpen, choose(tab), press(view, …). */
export function showHome(view, direct, context) {
  $("tabs").hidden = !direct;
  const home = direct && context.isOpen;
  for (const [tab, id] of [["home", "tab-home"], ["", "tab-messages"]]) {
    const current = (tab === "home") === Boolean(home);
    $(id).setAttribute("aria-selected", String(current));
    $(id).tabIndex = current ? 0 : -1;
    $(id).onclick = () => context.choose(tab);
  }
  $("home").hidden = !home;
  $("messages").hidden = $("composer").hidden = home;
  if (home) reconcile($("home"), [{ id: view?.id, hash: view?.hash }], () => "home", () => content(view, context, valuesIn($("home"))));
}

/** entered: what stands in the fields of the view before; those of the same ids keep it, as in Slack. */
function content(view, context, entered) {
  if (!view) return h("p", { class: "waiting" }, "Footnote has put nothing here yet.");
  const blocks = renderBlocks(view.blocks, {
    names: context.names,
    press: (block, element, given, values) => context.press(view, block, element, given, values),
    chosen: () => undefined,
    entered: (block, element) => entered[block.block_id]?.[element.action_id],
  });
  return h("div", { class: "message-content home-content", "data-surface": "" }, ...blocks);
}

$("tabs").addEventListener("keydown", (event) => {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const other = document.activeElement === $("tab-home") ? $("tab-messages") : $("tab-home");
  other.focus();
  other.click();
});
