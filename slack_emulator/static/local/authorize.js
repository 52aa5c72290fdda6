// Puts first whoever the local page was used as last, as Slack knows who is signed in.

const last = localStorage.getItem("footnote-last-person");
const button = document.querySelector(`button[value="${CSS.escape(last ?? "")}"]`);
button?.parentElement.querySelector("button").before(button);
(button ?? document.querySelector("button"))?.focus();
