-- only: sqlite  its own names of types
CREATE TABLE IF NOT EXISTS migrations (
    number     INTEGER PRIMARY KEY,
    slug       TEXT NOT NULL,
    digest     BLOB NOT NULL CHECK (length(digest) = 32),
    applied_ms INTEGER NOT NULL
) STRICT
