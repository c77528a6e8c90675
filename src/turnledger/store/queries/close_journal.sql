UPDATE journals
SET
    next_seq = :next_seq,
    head = :head,
    last_ms = :last_ms,
    holder = :holder,
    epoch = :epoch,
    until_ms = :until_ms,
    closed = 1
WHERE jid = :jid
