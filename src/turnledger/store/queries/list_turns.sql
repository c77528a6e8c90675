SELECT *
FROM turn_rows
WHERE
    opened_ms >= :since_ms
    AND (opened_ms, jid) < (:before_ms, :before_jid)
ORDER BY opened_ms DESC, jid DESC
LIMIT :limit
