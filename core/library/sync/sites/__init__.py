"""Web sites as data sources: `site` fetches their pages, `sitemap`, `feed` and `crawl` find them."""
