"""Count the use of language models, stop calls beyond budgets, and spare repeated ones.

- `meter`: for whom a call is made; stops and counts calls, with alerts for administrators
- `budget_use`: this month's use of the budgets that a call counts towards
- `messages`: notices to people
- `replies`: replies that are given again to the same audience
- `figures`: use by month, for the admin and REST
"""
