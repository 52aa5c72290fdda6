"""Getting the answer to whoever asked exactly once, whatever stops on the way.

engine.py leads. A sign of work is posted first and then becomes the answer, so that a restarted worker finds its
message and goes on with it (bot.slack.idempotent); surfaces.py and streams.py know where and how, results.py finds
what may be said, refusals.py what helps where nothing was found, after_reply.py what the asker alone is told beside it.
unasked.py answers what nobody asked us, and leaves no sign of work; reactions.py reads what an emoji was added to.
"""
