"""Seal each answer as it is recorded, and issue signed receipts of answers that anybody can verify.

parts.py says what of an answer a receipt holds, sealing.py writes its seal with the answer, issuing.py issues receipts
to who may see the answer, keys.py has the keys, and verify_receipt.py verifies on any machine: it imports nothing of
Footnote.
"""
