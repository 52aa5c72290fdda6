"""Define the sentences of the documents in the bot's tests, and questions about them."""

VAULT = "The vault in the harbour office opens with the code K7741 on weekdays."
CANTEEN = "The canteen in the harbour office serves soup at noon."
ASK_VAULT = "With which code does the vault in the harbour office open?"
ASK_CANTEEN = "What does the canteen in the harbour office serve at noon?"
