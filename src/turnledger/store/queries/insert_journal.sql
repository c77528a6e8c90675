INSERT INTO journals (jid, kind, id, aid, cid, ordinal, closed, next_seq, head, last_ms, holder, epoch, until_ms)
VALUES (:jid, :kind, :id, :aid, :cid, :ordinal, :closed, :next_seq, :head, :last_ms, :holder, :epoch, :until_ms)
