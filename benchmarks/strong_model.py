"""A strong model played by a script: what do the layers around such a model lose of its right answers?

    python -m benchmarks.strong_model --port P [--quotes none|best] [--idle 300]

Serves chat completions in OpenAI's form on the loopback address. It knows replies to questions of the datasets, in
strong_replies.jsonl: true sentences in words of its own, with the words that the dataset expects in them. It works as a
model does that steers: where the passages it is shown hold what is expected, it calls final_answer with its sentences;
else it searches once, and ends without a statement where that brings nothing either, as it does for a question to which
it knows no reply. As a judge it says yes to its own sentences and no to others. It mends nothing: a draft that is sent
back comes again as it was.

A line of the replies: {"question", "reply": [sentence, ...], "search": what it searches for}. Where what is expected
stands in several sections, "rests_on" has words of those that the reply is from, which it has to be shown as well.
Where the question is in another language, "english" is how it translates it.

    LLM_MODEL=openai/scripted-70b LLM_API_BASE=http://127.0.0.1:P/v1 OPENAI_API_KEY=none \\
        manage.py evaluate evaluation/ordinary.jsonl --library samples --no-scores --json

For each request it prints a JSON object: the question as it knows it, and what it did. It ends when nobody has asked
it anything for so many seconds.
"""

import argparse
import difflib
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.scratch import set_up

ROOT = Path(__file__).resolve().parents[1]
REPLIES = Path(__file__).with_name("strong_replies.jsonl")
DATASETS = (ROOT / "evaluation/ordinary.jsonl", ROOT / "evaluation/everyday.jsonl")
SEARCH, ANSWER = "pgvector_retriever", "final_answer"
LIKE = 0.8  # of a question that Footnote has spelt or shortened, with the one that is known
IDLE_S = 300.0

_WORDS = re.compile(r"\w+")
_MARK = re.compile(r"\A\d\. ")  # of a step

Report = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The scripted model's reply to one question."""

    question: str
    sentences: tuple[str, ...]
    search: str  # what it searches for where the passages do not hold it
    english: str = ""  # the question in English, where it is in another language
    expected: tuple[tuple[str, ...], ...] = ()  # of each choice the texts that the sentences have
    rests_on: tuple[str, ...] = ()  # words of the documents that it has to be shown
    sources: tuple[str, ...] = ()  # parts of the names of right documents; one is enough

    def is_in(self, passages: Sequence[Any]) -> bool:
        """Return True if passages of a right document have the expected facts, and the words that the reply needs."""
        from core.quality.evaluation.datasets.verdict import contains

        right = [one for one in passages if any(part.casefold() in one.source.casefold() for part in self.sources)]
        shown = "\n".join(f"{one.source}\n{one.text}" for one in right)
        return contains(shown, (*self.expected, *((words,) for words in self.rests_on)))


class StrongModel:
    """The model: takes the messages of a request and gives the message with which it replies."""

    def __init__(self, replies: Sequence[Reply], *, others: Sequence[str] = (), quotes: bool = False) -> None:
        """others: questions to which there is no reply. quotes: give with each sentence the nearest of a passage."""
        self._replies = {_plain(name): reply for reply in replies for name in (reply.question, reply.english) if name}
        self._known = [*self._replies, *(_plain(one) for one in others if _plain(one) not in self._replies)]
        self._sentences = {_plain(_MARK.sub("", said)) for reply in replies for said in reply.sentences}
        self._quotes = quotes

    def __call__(self, messages: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The message, and what was done in words for the log."""
        from core.asking.generation.markup import read_passages, read_question
        from core.llm.scripted import claims_in

        said = [(str(message["role"]), _text(message)) for message in messages]
        whole = "\n".join(text for _, text in said)
        asked = read_question(whole)
        reply = self.reply_to(asked)
        log = {"asked": asked, "known_as": reply.question if reply else None}
        claims = claims_in(whole)
        if claims:
            return _saying("\n".join(self._verdict(*claim) for claim in claims)), log | {"did": "judged"}
        if len(said) == 1:  # without tools: a translation, or a question to be made whole
            return _saying(reply.english or asked if reply else asked), log | {"did": "reworded"}
        passages = read_passages(whole)
        if reply and reply.is_in(passages):
            return self._answer(reply, passages), log | {"did": "answered"}
        if reply and not any(SEARCH in text for role, text in said if role == "assistant"):
            return _calling(SEARCH, query=reply.search), log | {"did": "searched"}
        return _calling(ANSWER, statements=[]), log | {"did": "nothing"}

    def reply_to(self, asked: str) -> Reply | None:
        """The reply to a question, which may have been spelt and shortened; None to one that nothing answers."""
        near = difflib.get_close_matches(_plain(asked), self._known, n=1, cutoff=LIKE)
        return self._replies.get(near[0]) if near else None

    def _verdict(self, code: str, statement: str) -> str:
        """Yes to its own sentence, also behind the one that introduces its list or without "According to"."""
        said = _plain(statement)
        return f"{code}: {'yes' if any(own in said or said in own for own in self._sentences) else 'no'}"

    def _answer(self, reply: Reply, passages: Sequence[Any]) -> dict[str, Any]:
        statements = [
            {"text": said, "quotes": _nearest(said, passages) if self._quotes else []} for said in reply.sentences
        ]
        return _calling(ANSWER, statements=statements)


def known_replies(replies: Path = REPLIES, datasets: Sequence[Path] = DATASETS) -> tuple[list[Reply], list[str]]:
    """The replies with what the datasets expect of them, and the questions of the datasets that have none."""
    from core.quality.evaluation.datasets.dataset import read
    from core.quality.evaluation.datasets.verdict import contains

    given = {raw["question"]: raw for raw in map(json.loads, replies.read_text(encoding="utf-8").splitlines())}
    items = [item for path in datasets for item in read(path.read_text(encoding="utf-8").splitlines()).items]
    found: dict[str, Reply] = {}
    for item in items:
        if item.refusal_expected or item.question not in given:
            continue
        raw = given[item.question]
        said = " ".join(raw["reply"])
        found[item.question] = Reply(
            question=item.question,
            sentences=tuple(raw["reply"]),
            search=raw["search"],
            english=raw.get("english", ""),
            rests_on=tuple(raw.get("rests_on", ())),
            expected=tuple(tuple(one for one in choice if contains(said, ((one,),))) for choice in item.expected),
            sources=tuple(part for choice in item.sources for part in choice),
        )
    return list(found.values()), [item.question for item in items if item.question not in found]


@contextmanager
def serving(model: StrongModel, *, port: int = 0, report: Report = lambda did: None) -> Iterator["Server"]:
    """A running server of this model on the loopback address, of any free port where none is named."""
    with Server(port, model, report) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


class Server(ThreadingHTTPServer):
    """Serves one model, and knows when it was last asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, model: StrongModel, report: Report) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.model = model
        self.report = report
        self.asked_at = time.monotonic()

    @property
    def address(self) -> str:
        """Its address, as LLM_API_BASE takes it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked_at = time.monotonic()
        message, log = self.server.model(request["messages"])
        self.server.report(log)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant"} | message}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        head = {"id": "c", "object": "chat.completion", "created": 0, "model": str(request["model"])}
        content = json.dumps(head | {"choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing on the terminal but the reports."""


def main() -> None:
    """Serve until nobody has asked anything for a while."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--quotes", choices=("none", "best"), default="none", help="What stands with a sentence.")
    parser.add_argument("--idle", type=float, default=IDLE_S, help="Seconds without a request after which it ends.")
    arguments = parser.parse_args()
    set_up()
    replies, others = known_replies()
    model = StrongModel(replies, others=others, quotes=arguments.quotes == "best")
    with serving(model, port=arguments.port, report=lambda did: print(json.dumps(did), flush=True)) as server:
        while time.monotonic() - server.asked_at < arguments.idle:
            time.sleep(min(1.0, arguments.idle))


def _nearest(said: str, passages: Sequence[Any]) -> list[dict[str, Any]]:
    """The sentence of the passages that shares most words with this one, as a quote."""
    from core.language.nlp.text import content_stems, sentences

    wanted = set(content_stems(said))
    found = [(one.number, one.text[start:end]) for one in passages for start, end in sentences(one.text)]
    number, text = max(found, key=lambda each: len(wanted & set(content_stems(each[1]))), default=(0, ""))
    return [{"passage": number, "text": text}]


def _text(message: dict[str, Any]) -> str:
    """The text of a message, with the tools that it calls."""
    content = message.get("content") or ""
    parts = [content] if isinstance(content, str) else [str(part.get("text", "")) for part in content]
    return "\n".join((*parts, *(str(call) for call in message.get("tool_calls") or ())))


def _calling(tool: str, **arguments: Any) -> dict[str, Any]:
    from core.llm.scripted import calls

    return {"content": None} | calls(tool, **arguments)


def _saying(text: str) -> dict[str, Any]:
    return {"content": text}


def _plain(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))


if __name__ == "__main__":
    main()
