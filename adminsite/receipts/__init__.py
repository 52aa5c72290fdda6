"""The pages of signed receipts: one to take a receipt from, one to verify any, and the keys that verify ours."""
