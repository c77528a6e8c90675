INSERT INTO queue (tried, turn, journal, kept, events, queued_ms, data, size)
VALUES (:tried, :turn, :journal, NULL, :events, :queued_ms, :data, :size)
RETURNING id;
