-- only: postgres  leases run by the database's clock; a parked turn (until_ms is null) stays parked
UPDATE journals
SET until_ms = CASE WHEN until_ms IS NOT NULL THEN clock_ms() + :ttl_ms END
WHERE id = :turn AND kind = 'turn' AND closed = 0 AND holder = :holder AND epoch = :epoch
RETURNING id
