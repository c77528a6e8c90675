SELECT *
FROM turn_rows
WHERE
    status = :status
    AND (agent = :agent OR :agent = :any)
    AND opened_ms >= :since_ms
    AND (opened_ms, jid) < (:before_ms, :before_jid)
ORDER BY opened_ms DESC, jid DESC
LIMIT :limit
