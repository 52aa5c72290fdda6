"""Share code among kinds that ask by HTTP.

`client` asks a service, `answers` reads what it says, `levels` finds readers that are set at several levels. `site`
fetches the pages of a web site and reads its sitemaps and feeds, `crawl` follows links.
"""
