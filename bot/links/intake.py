"""Taking in the links of a message: stored together with the job that shows where they lead."""

import logging

from django.db import IntegrityError, transaction

from bot.models import Unfurl
from core.infrastructure import queue
from core.infrastructure.public_address import read_address

logger = logging.getLogger(__name__)

MOST_LINKS = 5  # of one message; whoever posts more shows a list, and needs no cards


def receive_links(
    *, event_id: str, team_id: str, channel_id: str, user_id: str, message_ts: str, urls: list[str]
) -> bool:
    """Store the links that lead to this installation and queue that they are shown, both or neither.

    Return False where none of them does, and for an event that was stored before.
    """
    own = [url for url in dict.fromkeys(urls) if read_address(url) is not None][:MOST_LINKS]
    if not own:
        return False
    try:
        with transaction.atomic():
            row = Unfurl.objects.create(
                event_id=event_id,
                team_id=team_id,
                channel_id=channel_id,
                user_id=user_id,
                message_ts=message_ts,
                urls=own,
            )
            # An edit of the message is another event: the later one is shown last.
            lock = f"unfurl/{team_id}/{channel_id}/{message_ts}"
            queue.enqueue(queue.UNFURL, lock=lock, unfurl=str(row.pk))
    except IntegrityError:
        logger.info("event_known", extra={"event_id": event_id})
        return False
    logger.info("links_stored", extra={"unfurl": str(row.pk), "links": len(own)})
    return True
