-- only: postgres  the database's clock
INSERT INTO migrations (number, slug, digest, applied_ms)
VALUES (:number, :slug, :digest, clock_ms())
