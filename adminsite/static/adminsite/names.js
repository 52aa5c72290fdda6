// Name what the theme draws without a name: fields of a table by their column, searched ones by their label; and cells.
// A row is a card on a telephone, each cell with its column's name. One rule for all: the first letter is a capital.
const nameCells = () => {
    for (const cell of document.querySelectorAll(".fn-report td:not([data-label])")) {
        cell.dataset.label = readColumn(cell) ?? "";
    }
    for (const cell of document.querySelectorAll("[data-label]")) {
        cell.dataset.label = cell.dataset.label.charAt(0).toUpperCase() + cell.dataset.label.slice(1);
    }
};

const nameFields = () => {
    nameCells();
    for (const field of document.querySelectorAll("td select, td textarea, td input:not([type=hidden])")) {
        const cell = field.closest("td");
        const name = cell.dataset.label || readColumn(cell);
        const isNamed = field.labels?.length || field.hasAttribute("aria-label") || field.hasAttribute("aria-labelledby");
        if (name && !isNamed) field.setAttribute("aria-label", name);
    }
    for (const box of document.querySelectorAll(".select2-selection")) {
        const select = box.closest(".select2")?.previousElementSibling;
        const shown = box.querySelector(".select2-selection__rendered");
        const typed = box.querySelector(".select2-search__field");
        const label = select?.labels?.[0];
        if (typed && label) typed.setAttribute("aria-label", label.textContent.trim().replace(/\s+/g, " "));
        if (shown && label) {
            label.id ||= `${select.id}-label`;
            shown.setAttribute("aria-labelledby", label.id);
            box.setAttribute("aria-labelledby", `${label.id} ${shown.id}`);
        } else if (shown && select?.hasAttribute("aria-label")) {
            shown.setAttribute("aria-label", select.getAttribute("aria-label"));
        }
    }
};

const readColumn = (cell) => {
    const head = cell.closest("table")?.tHead?.rows[0]?.cells[cell.cellIndex]?.cloneNode(true);
    for (const icon of head?.querySelectorAll("[aria-hidden]") ?? []) icon.remove();
    return head?.textContent.trim().replace(/\s+/g, " ");
};

// The theme's scripts add such fields after the page is there, and so do people who add a row.
let isPlanned = false;
const plan = () => {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => { isPlanned = false; nameFields(); });
};
document.addEventListener("DOMContentLoaded", () => {
    nameFields();
    new MutationObserver(plan).observe(document.body, { childList: true, subtree: true });
});
