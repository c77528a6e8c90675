SELECT jid
FROM journals
WHERE id = :journal
