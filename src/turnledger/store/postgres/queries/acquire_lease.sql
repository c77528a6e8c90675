-- only: postgres  leases run by the database's clock
UPDATE journals
SET holder = :holder, epoch = epoch + 1, until_ms = clock_ms() + :ttl_ms
WHERE id = :turn AND kind = 'turn' AND closed = 0 AND (until_ms IS NULL OR until_ms < clock_ms())
RETURNING
    id,
    (SELECT a.id FROM agents AS a WHERE a.aid = journals.aid),
    (SELECT c.id FROM conversations AS c WHERE c.cid = journals.cid),
    holder,
    epoch,
    until_ms
