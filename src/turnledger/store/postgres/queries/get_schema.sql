-- only: postgres  where the ledger is or would be, and whether anything was applied there
SELECT current_schema()::text, to_regclass('migrations') IS NOT NULL
