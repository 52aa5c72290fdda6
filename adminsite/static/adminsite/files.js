// The names of chosen files, beside the input that takes them.
for (const input of document.querySelectorAll("input[data-files]")) {
    input.addEventListener("change", () => {
        const names = Array.from(input.files, (file) => file.name);
        const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
        input.closest("label").querySelector("[data-files-label]").textContent =
            names.length ? `${names.length} chosen: ${shown}` : "Choose files or drop them here";
    });
}
