-- only: postgres  the database's clock, and where this transaction's events stand among all (see events.eid)
SELECT clock_ms(), prunes, (xid_base + pg_current_xact_id()::text::bigint) << 20
FROM ledger
