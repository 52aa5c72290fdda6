"""What others are told of, who keep something beside core's own tables."""

from django.dispatch import Signal

# Sent with before, a time, and of, a User or None: whoever keeps what people typed erases what came in before that
# time, from that person or, with None, from all.
texts_erased = Signal()
