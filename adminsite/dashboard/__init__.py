"""The admin's first page and its charts: figures of usage and quality, and what waits for somebody."""
