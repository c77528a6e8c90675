INSERT INTO agents (aid, id, name, opened_ms, turns, conversations)
VALUES (:aid, :id, :name, :opened_ms, :turns, :conversations)
