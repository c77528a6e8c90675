INSERT INTO conversations (cid, id, aid, opened_ms, connector, shape, place, next_position)
VALUES (:cid, :id, :aid, :opened_ms, :connector, :shape, :place, :next_position)
