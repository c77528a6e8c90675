SELECT CAST(:since_ms AS bigint), status, count(*)
FROM turns
WHERE
    aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND opened_ms >= :since_ms
    AND opened_ms < :until_ms
GROUP BY status
