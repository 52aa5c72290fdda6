"""Share code among data sources that hold files.

`connector` lists and loads, `store` is what a kind has to offer for that, `settings` are those of every kind.
`patterns` choose the files and their readers. `guarded_http` asks servers of http and https; `guarded_pools` and
`guarded_smb` have other libraries connect to checked addresses alone.
"""
