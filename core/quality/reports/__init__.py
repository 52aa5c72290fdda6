"""Figures of use and quality over a period, in groups: for the admin, REST, spreadsheets and the digest. No text.

`period` has the days, `grouping` what figures are grouped by and who may have that, `figures` the queries, and
`spreadsheets` their forms as files.
"""
