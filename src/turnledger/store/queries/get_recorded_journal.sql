-- A conversation of another agent than its journal has no places.
SELECT
    j.kind,
    j.id,
    a.id AS agent,
    c.id AS conversation,
    j.ordinal,
    j.next_seq,
    j.head,
    CASE WHEN c.aid = j.aid THEN c.next_position END AS positions
FROM journals AS j
LEFT JOIN agents AS a ON a.aid = j.aid
LEFT JOIN conversations AS c ON c.cid = j.cid
WHERE j.id = :journal
