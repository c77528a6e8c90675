-- only: postgres  update_journal that fails where it grew or its lease went to somebody else meanwhile
WITH moved AS (
    UPDATE journals
    SET
        next_seq = :next_seq,
        head = :head,
        last_ms = :last_ms,
        holder = :holder,
        epoch = :epoch,
        until_ms = :until_ms
    WHERE jid = :jid AND next_seq = :old_seq AND epoch = :old_epoch AND until_ms IS NOT DISTINCT FROM :old_until_ms
    RETURNING jid
)
SELECT 1 / count(*) FROM moved
