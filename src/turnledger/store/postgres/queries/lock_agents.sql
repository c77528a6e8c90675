-- only: postgres  ids come as one array; a lock is needed only where a journal may be opened, which moves the counts
SELECT aid
FROM agents
WHERE
    id = ANY(:ids)
    AND EXISTS (
        SELECT FROM unnest(:journals::bytea []) AS wanted (id)
        WHERE NOT EXISTS (SELECT FROM journals AS j WHERE j.id = wanted.id)
    )
ORDER BY id
FOR NO KEY UPDATE
