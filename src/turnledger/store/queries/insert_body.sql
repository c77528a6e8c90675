INSERT INTO bodies (jid, seq, slot, size, salt, recipe)
VALUES (:jid, :seq, :slot, :size, :salt, :recipe)
