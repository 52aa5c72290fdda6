"""axe-core in a real browser: what is serious on a page, light and dark.

Serious is what keeps somebody from reading or working a page: text without contrast, fields, links and buttons without
a name, what a keyboard or a screen reader does not reach.
"""

from collections.abc import Iterator
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, Page, ViewportSize

WIDE, NARROW = ViewportSize(width=1400, height=900), ViewportSize(width=390, height=844)
FITS = "() => document.documentElement.scrollWidth <= window.innerWidth"
SETTLED_MS = 5_000  # after another size of the window: menus fold, scripts set widths
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SERIOUS = {"serious", "critical"}
# Colours fade from one scheme to the other, and would be measured halfway.
STILL = """() => {
  const still = new CSSStyleSheet();
  still.replaceSync("*, *::before, *::after { transition: none !important; animation: none !important; }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}"""
# But for menus, which lie over the page and are opened one at a time.
UNFOLD = "() => document.querySelectorAll('details:not(.menu)').forEach(part => part.open = true)"
AXE = Axe().axe_script
RUN = """rules => axe.run({runOnly: rules, resultTypes: ["violations"], preload: false, iframes: false})
  .then(found => found.violations)"""
SCHEME = "isDark => document.documentElement.classList.toggle('dark', isDark)"  # the way of the admin's theme


def find_serious(page: Page, where: str) -> Iterator[str]:
    """Yield what is serious on the page that is open, folded parts included, each with its element."""
    page.evaluate(UNFOLD)
    page.evaluate(STILL)
    page.evaluate(AXE)
    for scheme, rules in (("light", RULES), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of its words
        page.evaluate(SCHEME, scheme == "dark")
        yield from _describe(f"{where} {scheme}", page.evaluate(RUN, rules))


def is_as_wide_as_its_window(page: Page) -> bool:
    """Return True if nothing of the page is beside its window, once it has settled."""
    try:
        page.wait_for_function(FITS, timeout=SETTLED_MS)
    except Error:
        return False
    return True


def _describe(where: str, violations: list[dict[str, Any]]) -> Iterator[str]:
    for violation in violations:
        if violation["impact"] in SERIOUS:
            for node in violation["nodes"]:
                if violation["id"] == "list" and "select2-selection__rendered" in node["html"]:
                    continue  # how select2 draws the chosen values
                yield f"{where} {violation['id']}: {node['target']} {node['html'][:300]} {node['failureSummary']}"
