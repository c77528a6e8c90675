INSERT INTO login_codes (digest, operator, expires_ms)
VALUES (:digest, :operator, :expires_ms)
