"""Count how often a person may do something, for all processes together."""

import datetime as dt

from django.db import connection, models

# One statement and one row: requests at the same moment, in whichever process, each get a count of their own. Beyond
# the first that is too many they are not distinguished.
_COUNT = """
INSERT INTO core_requestcount AS held (name, began_at, requests) VALUES (%(name)s, clock_timestamp(), 1)
ON CONFLICT (name) DO UPDATE SET
    began_at = CASE WHEN excluded.began_at - held.began_at < make_interval(secs => %(period)s)
        THEN held.began_at ELSE excluded.began_at END,
    requests = CASE WHEN excluded.began_at - held.began_at < make_interval(secs => %(period)s)
        THEN LEAST(held.requests, %(most)s) + 1 ELSE 1 END
RETURNING requests, began_at + make_interval(secs => %(period)s) - clock_timestamp()
"""


class RequestCounts(models.Manager["RequestCount"]):
    """Counts requests."""

    def count_one(self, name: str, *, most: int, period: dt.timedelta) -> tuple[bool, dt.timedelta]:
        """Count one request under a name. Returns whether it is one of the allowed ones, and when the period ends.

        A period begins with its first request, and the next one with the first request after it. Call it outside a
        transaction, or others under the same name wait for its end.
        """
        with connection.cursor() as cursor:
            cursor.execute(_COUNT, {"name": name, "most": most, "period": period.total_seconds()})
            requests, left = cursor.fetchone()
        return requests <= most, max(left, dt.timedelta())

    def forget(self, *, before: dt.datetime) -> None:
        """Delete what began before this moment."""
        self.filter(began_at__lt=before).delete()


class RequestCount(models.Model):
    """The requests of one kind from one person or address in the current period. The table is not logged: no wait for
    the disk, and after a crash of the database counting begins anew."""

    name = models.CharField(max_length=100, primary_key=True)
    began_at = models.DateTimeField()
    requests = models.PositiveIntegerField()

    objects = RequestCounts()

    def __str__(self) -> str:
        return self.name
