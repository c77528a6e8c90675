-- only: postgres  locks the row, and fails where it grew or its lease went to somebody else meanwhile
SELECT 1 / count(*)
FROM (
    SELECT FROM journals
    WHERE jid = :jid AND next_seq = :next_seq AND epoch = :epoch AND until_ms IS NOT DISTINCT FROM :until_ms
    FOR NO KEY UPDATE
) AS unmoved
