UPDATE tokens
SET revoked_ms = :now_ms
WHERE id = :id AND revoked_ms IS NULL
RETURNING id
