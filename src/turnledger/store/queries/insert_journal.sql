INSERT INTO journals (jid, kind, id, aid, cid, ordinal, next_seq, head, last_ms, closed, holder, epoch, until_ms)
VALUES (:jid, :kind, :id, :aid, :cid, :ordinal, :next_seq, :head, :last_ms, :closed, :holder, :epoch, :until_ms)
