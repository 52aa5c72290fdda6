// The pages of researches: a plan that is changed in place, and what is found while it is asked. All works without it.

const EVERY = 2000; // milliseconds between two looks

for (const form of document.querySelectorAll("[data-working]")) {
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.matches(".button")) return;
    if (form.dataset.sent) return event.preventDefault(); // a second click
    form.dataset.sent = "yes";
    button.dataset.label = button.textContent;
    button.textContent = form.dataset.working;
    button.setAttribute("aria-disabled", "true"); // one that is disabled would not be sent
  });
}
addEventListener("pageshow", () => {
  // Back from the next page, the form is as it was left.
  for (const form of document.querySelectorAll("[data-sent]")) {
    delete form.dataset.sent;
    for (const button of form.querySelectorAll("[data-label]")) {
      button.textContent = button.dataset.label;
      button.removeAttribute("aria-disabled");
    }
  }
});

const isHeading = (part) => part.classList.contains("heading");

document.querySelector(".plan")?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (!button) return;
  event.preventDefault();
  changePlan(button.dataset.move, button.closest("li"), button);
});

function changePlan(verb, part, button) {
  if (verb === "section") {
    const added = [copy("new-heading"), copy("new-question")];
    document.querySelector(".parts").append(...added);
    added[0].querySelector("input:not([type=hidden])").focus();
    return;
  }
  const moved = isHeading(part) ? [part, ...below(part)] : [part];
  const last = moved.at(-1);
  if (verb === "add") {
    const added = copy("new-question");
    last.after(added);
    added.querySelector("textarea").focus();
  } else if (verb === "drop") {
    const next = last.nextElementSibling ?? part.previousElementSibling;
    moved.forEach((one) => one.remove());
    (next?.querySelector("[data-move=drop]") ?? document.querySelector("[data-move=section]")).focus();
  } else if (verb === "up") {
    let before = part.previousElementSibling;
    if (isHeading(part)) while (before && !isHeading(before)) before = before.previousElementSibling;
    if (before && (isHeading(part) || before.previousElementSibling)) before.before(...moved);
    button.focus();
  } else {
    const next = last.nextElementSibling;
    if (next) (isHeading(part) ? (below(next).at(-1) ?? next) : next).after(...moved);
    button.focus();
  }
}

function below(heading) {
  const found = [];
  for (let next = heading.nextElementSibling; next && !isHeading(next); next = next.nextElementSibling) found.push(next);
  return found;
}

function copy(template) {
  return document.getElementById(template).content.firstElementChild.cloneNode(true);
}

const LIVE = "[data-live]";
if (document.querySelector(LIVE)) setTimeout(look, EVERY);

async function look() {
  try {
    if (!document.hidden) {
      const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const isLive = page.querySelector(LIVE);
      if (answer.redirected || (answer.status < 500 && !isLive)) return location.replace(location.pathname); // the end
      if (isLive) show(page);
    }
  } catch {
    // The server is away for a moment: it is asked again.
  }
  setTimeout(look, EVERY);
}

function show(page) {
  for (const shown of document.querySelectorAll(LIVE)) {
    const now = page.getElementById(shown.id);
    if (!now || shown.innerHTML === now.innerHTML) continue;
    const at = [...shown.querySelectorAll("a")].indexOf(document.activeElement);
    shown.replaceChildren(...now.childNodes);
    shown.querySelectorAll("a")[at]?.focus({ preventScroll: true });
  }
  const said = document.getElementById("said");
  const now = page.getElementById("said").textContent;
  if (said.textContent !== now) said.textContent = now;
}
