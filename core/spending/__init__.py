"""What calls of language models consume, who may make them still, and which are spared.

- `spenders`: for whom a call is made
- `standing`: how the budgets that it counts towards stand
- `meter`: stops and counts calls
- `alerts`: what administrators are told
- `telling`: what people are told
- `replies`: replies that are given again to the same audience
- `figures`: use by month, for the admin and REST
"""
