-- Leaves alone what an index is on, for the sake of every append; the end of a turn has close_journal.
UPDATE journals
SET
    next_seq = :next_seq,
    head = :head,
    last_ms = :last_ms,
    holder = :holder,
    epoch = :epoch,
    until_ms = :until_ms
WHERE jid = :jid
