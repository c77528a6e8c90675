-- only: sqlite  all ids in one blob: one statement for many keys costs a third of many statements
WITH RECURSIVE place (start) AS (
    VALUES (1)
    UNION ALL
    SELECT start + 16 FROM place WHERE start + 16 < length(:ids)
)
SELECT a.aid, a.id, a.name, a.opened_ms, a.turns, a.conversations
FROM place
CROSS JOIN agents AS a ON a.id = substr(:ids, start, 16)
