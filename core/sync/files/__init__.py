"""Data sources that hold files: what they have in common.

`connector` lists and loads, `store` is what a kind has to offer for that, `settings` what every kind can be told.
`patterns` and `reader_rules` say which files, and who reads them. `guarded_http` asks servers of http and https;
`guarded_pools` and `guarded_smb` have other libraries connect to checked addresses alone.
"""
