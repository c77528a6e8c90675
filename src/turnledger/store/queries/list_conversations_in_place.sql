-- A place may have thousands of conversations: only those of the page are looked up whole.
SELECT *
FROM conversation_rows
WHERE
    cid IN (
        SELECT x.cid
        FROM conversations AS p
        INNER JOIN conversation_activity AS x ON x.cid = p.cid
        WHERE
            p.place = :place
            AND (x.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent) OR :agent = :any)
            AND (p.connector = :connector OR :connector = '')
            AND (p.shape = :shape OR :shape = '')
            AND x.open_turns >= :open_turns
            AND (
                :waiting_turns = 0
                OR EXISTS (SELECT 1 FROM turns AS w WHERE w.cid = x.cid AND w.status = 'waiting')
            )
            AND x.failed_turns >= :failed_turns
            AND (:owes_reply = 0 OR (SELECT 1 FROM owed_replies AS o WHERE o.cid = x.cid LIMIT 1) = 1)
            AND x.last_ms >= :since_ms
            AND (x.last_ms, x.cid) < (:before_ms, :before_cid)
        ORDER BY x.last_ms DESC, x.cid DESC
        LIMIT :limit
    )
ORDER BY last_ms DESC, cid DESC
