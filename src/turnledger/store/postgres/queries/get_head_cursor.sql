-- only: postgres  every transaction below the oldest running one has ended, so no row below it can still come
SELECT ((xid_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint) << 20) - 1
FROM ledger
