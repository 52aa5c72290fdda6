// A whole file opens at the passage that is nearest to the question, and a change is sent once.
const text = document.querySelector("textarea.fn-file");
const nearest = document.querySelector("[data-nearest]");

const findPlace = (value, quote) => {
    for (const line of quote.split("\n").map((one) => one.trim()).filter((one) => one.length > 3)) {
        for (const length of [line.length, 60, 30]) {
            const place = value.indexOf(line.slice(0, length));
            if (place >= 0) return place;
        }
    }
    return -1;
};

if (text && nearest) {
    const place = findPlace(text.value, nearest.textContent);
    if (place >= 0) {
        // As high as the text before it: a copy of the field with that text alone, which wraps its lines likewise.
        const copy = text.cloneNode();
        copy.removeAttribute("id");
        copy.removeAttribute("name");
        copy.rows = 1;
        copy.style.cssText = `position:absolute;visibility:hidden;height:0;width:${text.offsetWidth}px`;
        copy.value = text.value.slice(0, place);
        text.after(copy);
        text.scrollTop = Math.max(0, copy.scrollHeight - text.clientHeight / 3);
        copy.remove();
        text.setSelectionRange(place, place);
    }
}

let isSent = false;
for (const form of document.querySelectorAll("form[data-proposing]")) {
    form.addEventListener("submit", (event) => {
        if (isSent) event.preventDefault();
        isSent = true;
    });
}
// The browser brings a page back from its memory as it was left, with what was written.
window.addEventListener("pageshow", () => {
    isSent = false;
});
