// A PDF, page by page, at the cited page with the quote marked. Pages are drawn when they come near.

const pages = document.getElementById("pages");
const state = document.getElementById("state");
const { original, library, worker, quote } = pages.dataset;
const cited = Number(pages.dataset.page);
const WIDEST = 900; // pixels of a page
const NEAR = "1200px"; // around what is seen, in which pages are drawn
const LEAST_PART = 24; // letters of a quote that a page must repeat, where it does not hold all of it

const pdfjs = await import(library);
pdfjs.GlobalWorkerOptions.workerSrc = worker;

try {
  await show();
} catch (error) {
  console.info(error?.name); // never what a document says
  state.textContent = "The pages cannot be shown. The whole text can be read, and the file downloaded.";
}

async function show() {
  const pdf = await pdfjs.getDocument({
    url: original,
    isEvalSupported: false,
    enableXfa: false,
    useWasm: false, // our policy forbids it; the fallbacks beside the library do the same
    wasmUrl: library.slice(0, library.lastIndexOf("/") + 1),
    disableAutoFetch: true,
    disableStream: true,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  }).promise;
  const start = Math.min(Math.max(cited, 1), pdf.numPages);
  const first = (await pdf.getPage(start)).getViewport({ scale: 1 });
  const sheets = Array.from({ length: pdf.numPages }, (_, index) => makeSheet(index + 1, pdf.numPages, first));
  pages.replaceChildren(...sheets);
  sheets[start - 1].scrollIntoView();
  const drawn = new Map();
  const draw = (number) => drawn.get(number) ?? drawn.set(number, drawPage(pdf, sheets[number - 1], number)).get(number);
  state.textContent = quote ? (await markQuote(draw, start, pdf.numPages)) : "";
  const near = new IntersectionObserver(
    (seen) => seen.filter((one) => one.isIntersecting).forEach((one) => draw(Number(one.target.dataset.number))),
    { rootMargin: NEAR },
  );
  sheets.forEach((sheet) => near.observe(sheet));
}

function makeSheet(number, count, viewport) {
  const sheet = document.createElement("section");
  sheet.className = "sheet";
  sheet.dataset.number = number;
  sheet.setAttribute("aria-label", `Page ${number} of ${count}`);
  fit(sheet, viewport);
  return sheet;
}

/** Give a sheet the size of its page. Returns by how much the page is enlarged. */
function fit(sheet, viewport) {
  const scale = Math.min(WIDEST, Math.max(280, document.documentElement.clientWidth - 32)) / viewport.width;
  sheet.style.width = `${viewport.width * scale}px`;
  sheet.style.height = `${viewport.height * scale}px`;
  sheet.style.setProperty("--total-scale-factor", scale);
  sheet.style.setProperty("--scale-round-x", "1px");
  sheet.style.setProperty("--scale-round-y", "1px");
  return scale;
}

/** Draw a page and lay its text over it. Returns the pieces of text as nodes, in their order. */
async function drawPage(pdf, sheet, number) {
  const page = await pdf.getPage(number);
  const scale = fit(sheet, page.getViewport({ scale: 1 }));
  const viewport = page.getViewport({ scale });
  const canvas = document.createElement("canvas");
  const sharp = window.devicePixelRatio || 1;
  canvas.width = Math.floor(viewport.width * sharp);
  canvas.height = Math.floor(viewport.height * sharp);
  const text = document.createElement("div");
  text.className = "textLayer";
  sheet.replaceChildren(canvas, text);
  await page.render({ canvas, viewport, transform: sharp === 1 ? null : [sharp, 0, 0, sharp, 0, 0] }).promise;
  const layer = new pdfjs.TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport });
  await layer.render();
  return layer.textDivs.filter((div) => div.firstChild);
}

/** Mark the quote where it stands: on the cited page, going on to the next, else on the one before. */
async function markQuote(draw, start, count) {
  for (const numbers of [[start], [start, start + 1], [start - 1, start]]) {
    if (numbers.some((number) => number < 1 || number > count)) continue;
    const nodes = (await Promise.all(numbers.map(draw))).flat();
    if (mark(nodes, lettersOf(quote).text)) return "";
  }
  // Columns, footnotes and running heads may stand between its parts: mark those that are found.
  const nodes = await draw(start);
  const parts = quote.split(/\n|(?<=[.;:])\s/).map((part) => lettersOf(part).text).filter((part) => part.length >= LEAST_PART);
  const found = parts.filter((part) => mark(nodes, part));
  return found.length ? "" : "The quote could not be marked on the page. It stands above, and is marked in the whole text.";
}

/** The letters and digits of a text, folded, and where in it each stands: spaces, hyphens and ligatures differ. */
function lettersOf(text) {
  let letters = "";
  const places = [];
  let place = 0;
  for (const character of text) {
    const plain = character.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    letters += plain;
    for (let i = 0; i < plain.length; i += 1) places.push([place, place + character.length]);
    place += character.length;
  }
  return { text: letters, places };
}

/** Mark some letters in the text of the pages. Returns whether they stand there. */
function mark(divs, wanted) {
  const all = [];
  let letters = "";
  for (const div of divs) {
    for (const node of textsIn(div)) {
      const read = lettersOf(node.data);
      letters += read.text;
      for (const place of read.places) all.push([node, ...place]);
    }
  }
  const at = wanted ? letters.indexOf(wanted) : -1;
  if (at < 0) return false;
  const ranges = new Map();
  for (const [node, start, end] of all.slice(at, at + wanted.length)) {
    ranges.set(node, [ranges.get(node)?.[0] ?? start, end]);
  }
  const marks = [...ranges].map(([node, [start, end]]) => {
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    const element = document.createElement("mark");
    range.surroundContents(element);
    return element;
  });
  marks[0].scrollIntoView({ block: "center" });
  return true;
}

function textsIn(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}
