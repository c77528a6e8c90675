UPDATE login_codes
SET used_ms = :now_ms
WHERE digest = :digest AND used_ms IS NULL AND expires_ms > :now_ms
RETURNING operator
