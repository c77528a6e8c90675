-- only: postgres  types and the clock of this dialect
CREATE TABLE IF NOT EXISTS migrations (
    number     bigint PRIMARY KEY,
    slug       text COLLATE "C" NOT NULL,
    digest     bytea NOT NULL CHECK (octet_length(digest) = 32),
    applied_ms bigint NOT NULL
)
