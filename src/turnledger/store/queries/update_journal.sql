UPDATE journals
SET next_seq = :next_seq, head = :head, last_ms = :last_ms, closed = :closed, holder = :holder, epoch = :epoch, until_ms = :until_ms
WHERE jid = :jid
