SELECT *
FROM journal_rows
WHERE jid > :after_jid AND (kind = :kind OR :kind = '')
ORDER BY jid
LIMIT :limit
