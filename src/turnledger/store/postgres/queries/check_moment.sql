-- only: postgres  fails where parts were deleted meanwhile, or the writer's idea of the time is not the database's
SELECT 1 / (prunes = :prunes AND clock_ms() - :now_ms BETWEEN 0 AND 1000)::int
FROM ledger
