INSERT INTO migrations (number, slug, digest, applied_ms)
VALUES (:number, :slug, :digest, :applied_ms)
