DELETE FROM sessions
WHERE digest = :digest
