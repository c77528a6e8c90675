-- only: postgres  a ledger restored on a server with lower transaction ids goes on above its newest event
UPDATE ledger
SET xid_base = newest.xid + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint
FROM (SELECT max(eid) >> 20 AS xid FROM events) AS newest
WHERE newest.xid >= xid_base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
