"""Count the use of language models, stop calls beyond budgets, and spare repeated ones.

- `spenders`: for whom a call is made
- `standing`: this month's use of the budgets that it counts towards
- `meter`: stops and counts calls
- `alerts`: alerts for administrators
- `telling`: notices to people
- `replies`: replies that are given again to the same audience
- `figures`: use by month, for the admin and REST
"""
