INSERT INTO conflicts (event_id, seen_ms, type, tokens, payload_hash)
VALUES (:event_id, :seen_ms, :type, :tokens, :payload_hash)
