"""Put proposed changes into Confluence as draft pages, which an editor publishes or deletes.

A draft that was never published is in no page tree and no listing of the connector. Confluence shows it to the account
that made it, under its drafts, and to whoever has its address and may edit pages of the space. A restriction of viewing
on a page holds for all pages below it: a draft about a page is made below that page, so that nobody reads it there who
may not read the page, and its address belongs to those alone who decide about the change.

So say Atlassian's pages on drafts (shared by their address, with the permissions of the space), on collaborative
editing (`status=draft` in the REST interface), on its service of drafts (a draft keeps its id when it is published) and
on page restrictions (those of viewing are inherited). In Data Center others open a draft only with collaborative
editing on.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from core.errors import ChangedMeanwhileError, GoneError, SourceError, SourceRefusedError
from core.library.ingestion.sources.web import Response
from core.library.sync.proposing import Change, ChangeOutcome, SentChange
from core.library.sync.services.answers import identifier, inner, items, text
from core.library.sync.services.client import Client
from core.library.sync.services.confluence_versions import PAGE, fingerprint_of
from core.library.sync.services.storage_format import render_folded, render_markdown

NAME = "Confluence"  # for people

_LONGEST_TITLE = 255  # characters that Confluence takes
_MOST_SPACES = 3  # that are asked for before there is a change: somebody waits for the answer
_MOST_TITLES = 3  # that are tried: pages in an archive or in the bin keep theirs
_SHOWN_DIGITS = 8  # of the proposal's id, in a title
_ABOUT = "About this change (remove this part before you publish the page)"
_PATH = re.compile(r"/(?!/)[\w./?&=%~+,:;@-]*")  # below Confluence: an address in an answer could lead anywhere
_NOT_SHOWN = {403, 404}
_TAKEN_BACK = {400, 403, 404, 405, 410, 501}  # what an interface that is there no more may answer
_OUTCOMES = {"current": ChangeOutcome.MERGED, "draft": ChangeOutcome.OPEN}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """Holds where a draft is made."""

    space_key: str
    space_id: str = ""  # "" where it is not asked for
    parent: str = ""  # the id of the page above; "": none
    title: str = ""  # of the draft, without what tells it from others
    is_changed: bool = False  # the page above, since the text was written


class DraftPages:
    """The drafts of one Confluence, as the account that may add pages sees it."""

    def __init__(self, client: Client, *, base: str, spaces: Sequence[str], is_cloud: bool) -> None:
        """spaces: keys of those that are read; () for all. base: the address below which its pages are."""
        self._client = client
        self._base = base
        self._spaces = frozenset(spaces)
        self._is_cloud = is_cloud

    def check(self) -> None:
        """Ask for the account, and for what it may do in the first of the spaces that the source names.

        The cloud tells the permissions of who asks. Data Center tells them to administrators alone: there the spaces
        have to be shown to the account. Where the source names no spaces, only the account is asked for.
        """
        self._check_account()
        for key in sorted(self._spaces)[:_MOST_SPACES]:
            try:
                place = self._locate_space(key)
            except GoneError as error:
                raise SourceRefusedError(
                    f"{error.message} Give the account the permissions to view the space and to add pages to it, or "
                    "correct the key."
                ) from None
            if self._is_cloud and not self._may_add_pages(place.space_id):
                raise _make_space_refusal(key)

    def _may_add_pages(self, space_id: str) -> bool:
        """Return False where the cloud tells what the account may do in a space, and that it may add no pages.

        https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-operation/
        """
        answer = self._ask(f"/api/v2/spaces/{quote(space_id, safe='')}/operations")
        if answer.status != 200:
            return True  # nothing is said about it
        permitted = items(self._read(answer), "operations")
        return any(text(one, "operation") == "create" and text(one, "targetType") == "page" for one in permitted)

    def propose(self, change: Change) -> SentChange:
        """Make a draft page of a change, once: a second attempt finds that of the first by its title.

        Below the page that is changed, or at the top of the space for a new page. Errors as of `TakesChanges`.
        """
        place = self._find_space(change) if change.is_new else self._find_page(change)
        about = render_folded(_ABOUT, render_markdown(change.description))
        body = f"{render_markdown(change.text)}<hr />{about}"
        for title in _list_titles(place.title, change.proposal_id):
            made = self._find_draft(place, title)
            if made is None and place.is_changed:
                raise ChangedMeanwhileError("The page was changed after the text was written. Look at it once more.")
            made = made or self._make_draft(place, title, body)
            if made is not None:
                return self._describe(made)
        raise SourceError("Confluence has other pages with each of the titles that were tried for the draft.")

    def find_outcome(self, sent: SentChange) -> ChangeOutcome:
        """Return whether a draft was published, is still a draft, or is not there any more.

        A page that the account may not read any more, and one that was archived, reads like one that was deleted.
        """
        path = f"/api/v2/pages/{quote(sent.number, safe='')}"
        ways = (path, f"{path}?get-draft=true")
        if not self._is_cloud:
            path = f"/rest/api/content/{quote(sent.number, safe='')}"
            ways = (f"{path}?status=current", f"{path}?status=draft")
        for way in ways:
            answer = self._ask(way)
            if answer.status in _NOT_SHOWN:
                continue
            return _OUTCOMES.get(text(self._read(answer), "status"), ChangeOutcome.DECLINED)
        self._check_account()
        return ChangeOutcome.DECLINED

    def _find_page(self, change: Change) -> _Place:
        """Return where a draft about a page is made. GoneError for one that is not there, or not read any more."""
        page_id = change.key.removeprefix(PAGE)
        path, which = f"/rest/api/content/{quote(page_id, safe='')}", {"expand": "version,space"}
        if self._is_cloud:  # by the search that the listing uses: its versions are told in the same words
            path, which = "/rest/api/content/search", {"cql": f'id = "{page_id}" and type = page'} | which
        answer = self._ask(f"{path}?{urlencode(which)}") if identifier({"id": page_id}, "id") else None
        found: list[dict[str, Any]] = []
        if answer is not None and answer.status not in _NOT_SHOWN:
            described = self._read(answer)
            found = items(described, "results") if self._is_cloud else [described]
        for page in found:
            space = inner(page, "space")
            key = text(space, "key")
            is_there = text(page, "id") == page_id and text(page, "status") in {"", "current"}
            if not is_there or not self._is_read(key):
                continue
            return _Place(
                space_key=key,
                space_id=(identifier(space, "id") or self._find_space_id(key)) if self._is_cloud else "",
                parent=page_id,
                title=f"Change to {text(page, 'title')}: {change.title}",
                is_changed=fingerprint_of(page) != change.fingerprint,
            )
        self._check_account()
        raise GoneError("The page is no longer there, or the account for proposed changes may not read it.")

    def _find_space(self, change: Change) -> _Place:
        """Return where a new page is made. GoneError for a space that is not read, or not shown to the account."""
        key = change.key
        if not self._is_read(key):
            raise GoneError(f"The space {key} is not among those that are read.")
        return replace(self._locate_space(key), title=change.title)

    def _locate_space(self, key: str) -> _Place:
        """Return the top of a space. GoneError for one that is not shown to the account."""
        if self._is_cloud:
            return _Place(space_key=key, space_id=self._find_space_id(key))
        answer = self._ask(f"/rest/api/space/{quote(key, safe='')}")
        if answer.status in _NOT_SHOWN or text(self._read(answer), "key") != key:
            raise self._make_space_error(key)
        return _Place(space_key=key)

    def _find_space_id(self, key: str) -> str:
        """Return the id of a space in the cloud. GoneError for one that is not shown to the account."""
        answer = self._ask(f"/api/v2/spaces?{urlencode({'keys': key})}")
        found = [] if answer.status in _NOT_SHOWN else items(self._read(answer), "results")
        for space in found:
            if text(space, "key") == key and identifier(space, "id"):
                return identifier(space, "id")
        raise self._make_space_error(key)

    def _make_space_error(self, key: str) -> GoneError:
        self._check_account()
        return GoneError(f"There is no space {key}, or the account for proposed changes may not read it.")

    def _is_read(self, space: str) -> bool:
        return bool(space) and (not self._spaces or space in self._spaces)

    def _find_draft(self, place: _Place, title: str) -> Mapping[str, Any] | None:
        """Return the page of an earlier attempt, published or not; None for none."""
        which = {"type": "page", "spaceKey": place.space_key, "title": title}
        if self._is_cloud:
            published = {"space-id": place.space_id, "title": title, "status": "current"}
            first = self._read(self._ask(f"/api/v2/pages?{urlencode(published)}"))
        else:
            first = self._read(self._ask(f"/rest/api/content?{urlencode(which | {'status': 'current'})}"))
        # The cloud lists drafts in its first interface alone, which it may take back: then a draft that was made by an
        # attempt of which no answer came is not found, and another one is made.
        answer = self._ask(f"/rest/api/content?{urlencode(which | {'status': 'draft'})}")
        is_listed = not (self._is_cloud and answer.status in _TAKEN_BACK)
        drafts = items(self._read(answer), "results") if is_listed else []
        return next((page for page in [*items(first, "results"), *drafts] if text(page, "title") == title), None)

    def _make_draft(self, place: _Place, title: str, body: str) -> Mapping[str, Any] | None:
        """Make a draft and return it as Confluence describes it. None when another page has the title."""
        made: dict[str, Any]
        if self._is_cloud:
            made = {"spaceId": place.space_id, "status": "draft", "title": title}
            made |= {"body": {"representation": "storage", "value": body}}
            made |= {"parentId": place.parent} if place.parent else {}
        else:
            made = {"type": "page", "status": "draft", "title": title, "space": {"key": place.space_key}}
            made |= {"body": {"storage": {"value": body, "representation": "storage"}}}
            made |= {"ancestors": [{"id": place.parent}]} if place.parent else {}
        answer = self._ask("/api/v2/pages" if self._is_cloud else "/rest/api/content", made)
        if answer.status in _NOT_SHOWN:
            raise _make_space_refusal(place.space_key)
        if _is_title_taken(answer):
            return None
        return self._read(answer)

    def _describe(self, page: Mapping[str, Any]) -> SentChange:
        page_id = identifier(page, "id")
        if not page_id:
            raise SourceError("Confluence made a draft and did not name it. Look for it among the account's drafts.")
        links = (text(page, "_links", name) for name in ("editui", "edit", "webui"))
        path = next(filter(_PATH.fullmatch, links), "")
        url = self._base + (path or f"/pages/resumedraft.action?draftId={page_id}")
        return SentChange(item_key=f"{PAGE}{page_id}", url=url, number=page_id)

    def _check_account(self) -> None:
        """Raise SourceRefusedError where Confluence does not know the account, to which it then shows nothing."""
        answer = self._ask("/rest/api/user/current")
        if answer.status != 200 or text(self._read(answer), "type") == "anonymous":
            raise _make_refusal()

    def _ask(self, path: str, body: Mapping[str, Any] | None = None) -> Response:
        try:
            return self._client.send_json(path, body)
        except SourceRefusedError:
            raise _make_refusal() from None

    def _read(self, answer: Response) -> dict[str, Any]:
        if answer.status == 403:
            raise SourceRefusedError(
                "Confluence does not let the account for proposed changes look for drafts. Give it the permissions to "
                "view the space and to add pages to it, or enter the token of another account."
            )
        if answer.status not in {200, 201}:
            raise SourceError(f"{NAME} answered with status {answer.status}.")
        return self._client.read_json(answer)


def _list_titles(title: str, proposal_id: str) -> Iterator[str]:
    """Yield the titles that a draft may have, always the same of one proposal and of no other."""
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in title).split())
    for attempt in range(1, _MOST_TITLES + 1):
        ending = f" ({proposal_id[:_SHOWN_DIGITS]})" if attempt == 1 else f" ({proposal_id[:_SHOWN_DIGITS]}-{attempt})"
        most = _LONGEST_TITLE - len(ending)
        yield (plain if len(plain) <= most else f"{plain[: most - 1].rstrip()}…") + ending


def _is_title_taken(answer: Response) -> bool:
    """Return True for the refusal of a title that another page has, which Confluence tells in words alone."""
    words = answer.content.decode("utf-8", "replace").casefold()
    return answer.status in {400, 409} and "title" in words and "already exists" in words


def _make_space_refusal(key: str) -> SourceRefusedError:
    return SourceRefusedError(
        f"The account for proposed changes may not add pages to the space {key}. Give it that permission in "
        "Confluence, or enter the token of another account."
    )


def _make_refusal() -> SourceRefusedError:
    return SourceRefusedError(
        "Confluence refuses the token for proposed changes. Make a new one for an account that may add pages, and "
        "enter it."
    )
