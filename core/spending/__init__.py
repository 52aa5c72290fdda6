"""Count the use of language models, stop calls beyond budgets, and spare repeated ones.

- `spenders`: for whom a call is made
- `standing`: how the budgets that it counts towards stand
- `meter`: stops and counts calls
- `alerts`: what administrators are told
- `telling`: what people are told
- `replies`: replies that are given again to the same audience
- `figures`: use by month, for the admin and REST
"""
