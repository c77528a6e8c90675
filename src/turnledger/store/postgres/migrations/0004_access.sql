-- Who may ask the server.  Only SHA-256 digests of tokens, sessions and login codes are kept.
-- ``agents`` is null for all agents, else their ids one after another.

CREATE TABLE operators (
    id         bytea PRIMARY KEY CHECK (octet_length(id) = 16),
    name       bytea NOT NULL,
    scopes     text NOT NULL,
    agents     bytea CHECK (octet_length(agents) % 16 = 0),
    created_ms bigint NOT NULL,
    removed_ms bigint
);

CREATE UNIQUE INDEX operators_name ON operators (name) WHERE removed_ms IS NULL;

CREATE TABLE tokens (
    digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    id         bytea NOT NULL UNIQUE CHECK (octet_length(id) = 16),
    name       bytea NOT NULL,
    scopes     text NOT NULL,
    agents     bytea CHECK (octet_length(agents) % 16 = 0),
    created_ms bigint NOT NULL,
    used_ms    bigint,
    revoked_ms bigint
);

CREATE TABLE login_codes (
    digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    operator   bytea NOT NULL REFERENCES operators (id),
    expires_ms bigint NOT NULL,
    used_ms    bigint
);

CREATE TABLE sessions (
    digest     bytea PRIMARY KEY CHECK (octet_length(digest) = 32),
    operator   bytea NOT NULL REFERENCES operators (id),
    created_ms bigint NOT NULL,
    expires_ms bigint NOT NULL
);
