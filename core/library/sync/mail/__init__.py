"""Mailboxes that are read over IMAP: the guarded connection, what servers answer, and which folders are read.

The standard library's imaplib speaks the protocol. What it leaves open is here: bounds on each answer, connections to
checked addresses alone, and the reading of answers, of which it gives the pieces as they came.
"""
