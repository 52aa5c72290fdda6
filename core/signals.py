"""What others are told of, who keep something beside core's own tables."""

import datetime as dt

from django.dispatch import Signal

SURELY_OVER = dt.timedelta(hours=1)  # what has no end after so long was given up by its process, and may be erased

# Sent with before, a time, and of, a User or None: whoever keeps what people typed erases what came in before that
# time, from that person or, with None, from all.
texts_erased = Signal()
