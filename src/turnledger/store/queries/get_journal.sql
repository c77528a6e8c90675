SELECT *
FROM journal_rows
WHERE id = :journal
