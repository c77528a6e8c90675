SELECT *
FROM turn_rows
WHERE parent = :parent
ORDER BY jid
LIMIT :limit
