-- only: postgres  transactions below the oldest running one have ended, so no event below it can still come
SELECT coalesce(max(eid), 0)
FROM events
WHERE eid < (SELECT (xid_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint) << 20 FROM ledger)
