-- only: sqlite  ids as a JSON array, the one list that SQLite takes as a parameter
SELECT
    p.pid,
    p.data
FROM json_each(:parts) AS k
CROSS JOIN parts AS p ON p.pid = k.value
