INSERT INTO notices (cid, seq, aid, type, word, message, created_ms)
VALUES (:cid, :seq, :aid, :type, :word, :message, :created_ms)
