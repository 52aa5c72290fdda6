"""Verdicts over datasets: questions with known answers asked, observed, judged and compared."""
