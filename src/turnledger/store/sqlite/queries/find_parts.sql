-- only: sqlite  keys as a JSON array, the one list that SQLite takes as a parameter
SELECT p.key, p.pid, p.data
FROM json_each(:keys) AS k
CROSS JOIN parts AS p ON p.key = k.value AND p.aid = :aid
