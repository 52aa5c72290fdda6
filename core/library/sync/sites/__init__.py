"""Web sites as data sources: `site` fetches their pages and reads their sitemaps and feeds, `crawl` follows links."""
