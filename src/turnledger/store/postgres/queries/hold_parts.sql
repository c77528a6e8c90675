-- only: postgres  keeps whoever deletes parts away until the end of the transaction (SQLite has one writer)
SELECT pg_advisory_xact_lock_shared(1953263218, hashtext(current_schema()))
