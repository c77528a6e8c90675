UPDATE operators
SET removed_ms = :now_ms
WHERE id = :id AND removed_ms IS NULL
RETURNING id
