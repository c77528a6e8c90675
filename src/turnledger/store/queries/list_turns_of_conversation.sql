SELECT *
FROM turn_rows
WHERE
    cid = (SELECT c.cid FROM conversations AS c WHERE c.id = :conversation)
    AND (agent = :agent OR :agent = :any)
    AND (status = :status OR :status = '')
    AND opened_ms >= :since_ms
    AND (opened_ms, jid) < (:before_ms, :before_jid)
ORDER BY opened_ms DESC, jid DESC
LIMIT :limit
