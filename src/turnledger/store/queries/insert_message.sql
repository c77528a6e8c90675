INSERT INTO messages (cid, seq, direction, actor, chars, created_ms, reply_to, verdict, turn, into_seq, shed, delivery)
VALUES (:cid, :seq, :direction, :actor, :chars, :created_ms, :reply_to, :verdict, :turn, :into_seq, :shed, :delivery)
