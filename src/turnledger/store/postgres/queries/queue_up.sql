-- only: postgres  keeps whoever deletes parts away until the end, and lets writers of a conversation in one by one:
-- whoever comes later gets a higher transaction id, so that events.eid follows the order of every journal.
-- A lock whose place is NULL is none.
SELECT
    pg_advisory_xact_lock_shared(1953263218, hashtext(current_schema())),
    pg_advisory_xact_lock(1953263219, (:place::bigint)::int)
