-- Who may ask the server.  Only SHA-256 digests of tokens, sessions and login codes are kept.
-- ``agents`` is null for all agents, else their ids one after another.

CREATE TABLE operators (
    id         BLOB PRIMARY KEY CHECK (length(id) = 16),
    name       BLOB NOT NULL,
    scopes     TEXT NOT NULL,
    agents     BLOB CHECK (length(agents) % 16 = 0),
    created_ms INTEGER NOT NULL,
    removed_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX operators_name ON operators (name) WHERE removed_ms IS NULL;

CREATE TABLE tokens (
    digest     BLOB PRIMARY KEY CHECK (length(digest) = 32),
    id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    name       BLOB NOT NULL,
    scopes     TEXT NOT NULL,
    agents     BLOB CHECK (length(agents) % 16 = 0),
    created_ms INTEGER NOT NULL,
    used_ms    INTEGER,
    revoked_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE login_codes (
    digest     BLOB PRIMARY KEY CHECK (length(digest) = 32),
    operator   BLOB NOT NULL REFERENCES operators (id),
    expires_ms INTEGER NOT NULL,
    used_ms    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    digest     BLOB PRIMARY KEY CHECK (length(digest) = 32),
    operator   BLOB NOT NULL REFERENCES operators (id),
    created_ms INTEGER NOT NULL,
    expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
