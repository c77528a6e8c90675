-- only: postgres  the database's own clock
SELECT clock_us(), prunes
FROM ledger
