SELECT CAST(:since_ms AS bigint), type, word, count(*)
FROM notices
WHERE
    aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND type IN ('SHED', 'DELIVERY')
    AND created_ms >= :since_ms
    AND created_ms < :until_ms
GROUP BY type, word
