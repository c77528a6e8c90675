SELECT number, slug, digest
FROM migrations
ORDER BY number
