SELECT *
FROM turn_rows
WHERE
    aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND (status = :status OR :status = '')
    AND opened_ms >= :since_ms
    AND (opened_ms, jid) < (:before_ms, :before_jid)
ORDER BY opened_ms DESC, jid DESC
LIMIT :limit
