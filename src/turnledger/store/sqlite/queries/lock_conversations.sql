-- only: sqlite  all ids in one blob: one statement for many keys costs a third of many statements
WITH RECURSIVE place (start) AS (
    VALUES (1)
    UNION ALL
    SELECT start + 16 FROM place WHERE start + 16 < length(:ids)
)
SELECT c.cid, c.id, c.aid, c.opened_ms, c.connector, c.shape, c.place, c.next_position
FROM place
CROSS JOIN conversations AS c ON c.id = substr(:ids, start, 16)
