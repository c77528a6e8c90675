-- only: postgres  ids come as one array
SELECT
    pid,
    data
FROM parts
WHERE pid = ANY(:parts)
