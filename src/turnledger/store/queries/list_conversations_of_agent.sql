SELECT *
FROM conversation_rows
WHERE
    aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND (connector = :connector OR :connector = '')
    AND (shape = :shape OR :shape = '')
    AND open_turns >= :open_turns
    AND waiting_turns >= :waiting_turns
    AND failed_turns >= :failed_turns
    AND (:owes_reply = 0 OR owes_reply = 1)
    AND last_ms >= :since_ms
    AND (last_ms, cid) < (:before_ms, :before_cid)
ORDER BY last_ms DESC, cid DESC
LIMIT :limit
