INSERT INTO sessions (digest, operator, created_ms, expires_ms)
VALUES (:digest, :operator, :created_ms, :expires_ms)
