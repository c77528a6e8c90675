-- How many model calls a stretch of time holds, priced or not.
SELECT count(*)
FROM calls AS c
WHERE
    c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND c.created_ms >= :since_ms
    AND c.created_ms < :until_ms
    AND c.kind IN ('model', 'late')
