INSERT INTO refused (refused_ms, events, refusal, reason, data)
VALUES (:refused_ms, :events, :refusal, :reason, :data);
