"""Set up a model of this machine from the admin: `starting` queues and cancels, `running` is the worker's part.

What is done is core.llm.local_model's; it is the same for `manage.py model`.
"""
