SELECT *
FROM conversation_rows
WHERE
    cid IN (SELECT m.cid FROM messages AS m WHERE m.actor = :actor)
    AND (agent = :agent OR :agent = :any)
    AND (connector = :connector OR :connector = '')
    AND (shape = :shape OR :shape = '')
    AND (place = :place OR :place = :any)
    AND open_turns >= :open_turns
    AND waiting_turns >= :waiting_turns
    AND failed_turns >= :failed_turns
    AND (
        :owes_reply = 0
        OR EXISTS (
            SELECT 1
            FROM messages AS owed
            LEFT JOIN journals AS j ON j.id = owed.turn
            LEFT JOIN turns AS t ON t.jid = j.jid
            WHERE
                owed.cid = conversation_rows.cid
                AND owed.direction = 'inbound'
                AND owed.into_seq IS NULL
                AND (
                    owed.shed IS NOT NULL
                    OR (owed.turn IS NULL AND (owed.verdict IS NULL OR owed.verdict = 'engage'))
                    OR t.status IN ('failed', 'exhausted', 'refused', 'interrupted', 'cancelled')
                )
                AND NOT EXISTS (
                    SELECT 1
                    FROM messages AS said
                    WHERE said.cid = owed.cid AND said.seq > owed.seq AND said.direction = 'outbound'
                )
        )
    )
    AND last_ms >= :since_ms
    AND (last_ms, cid) < (:before_ms, :before_cid)
ORDER BY last_ms DESC, cid DESC
LIMIT :limit
