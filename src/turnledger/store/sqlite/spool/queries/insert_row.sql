INSERT INTO queue (tried, turn, kept, events, queued_ms, data, size)
VALUES (:tried, :turn, NULL, :events, :queued_ms, :data, :size)
RETURNING id;
