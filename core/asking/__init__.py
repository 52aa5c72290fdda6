"""Answer questions: from what was asked to what is kept of the answer.

answering           the order of all steps, and what is stored of them
verified_answers    answers that a person verified, which are given first
generation          a model, or rules without one, drafts statements
verification        quotes are found, and statements compared with them
reading             a network reads which passage answers, and where
confidence          whether there is an answer, and how sure it is
spending            budgets, and calls of models that are spared
history             what is kept of questions, shown and erased
dry_runs            previews, replays and trials, of which nothing is stored
suggestions         questions that are suggested
explanations.py     why somebody got an answer; quoting.py answers from texts in memory; alerts.py marks single answers
Front ends come in through `core.api`. Passages come from `core.library`, what may be read from `core.access`.
"""
