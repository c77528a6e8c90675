INSERT INTO calls (jid, seq, aid, cid, kind, name, failed, ms, tokens_in, tokens_out, cache_read, cache_write, reasoning, created_ms, turn)
VALUES (:jid, :seq, :aid, :cid, :kind, :name, :failed, :ms, :tokens_in, :tokens_out, :cache_read, :cache_write, :reasoning, :created_ms, :turn)
