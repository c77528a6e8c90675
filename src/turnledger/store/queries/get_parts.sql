SELECT pid, data
FROM parts
WHERE pid = :pid
