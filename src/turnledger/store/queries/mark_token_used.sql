UPDATE tokens
SET used_ms = :now_ms
WHERE id = :id
