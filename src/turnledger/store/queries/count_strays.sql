-- Goes through the indexes from one journal to the next, not from row to row.
WITH RECURSIVE of_events (jid) AS (
    SELECT MIN(e.jid)
    FROM events AS e
    UNION ALL
    SELECT (SELECT MIN(e.jid) FROM events AS e WHERE e.jid > o.jid)
    FROM of_events AS o
    WHERE o.jid IS NOT NULL
),

of_bodies (jid) AS (
    SELECT MIN(b.jid)
    FROM bodies AS b
    UNION ALL
    SELECT (SELECT MIN(b.jid) FROM bodies AS b WHERE b.jid > o.jid)
    FROM of_bodies AS o
    WHERE o.jid IS NOT NULL
),

named_journals AS (
    SELECT o.jid
    FROM of_events AS o
    UNION
    SELECT o.jid
    FROM of_bodies AS o
)

SELECT COUNT(*)
FROM named_journals AS nj
WHERE nj.jid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM journals AS j WHERE j.jid = nj.jid)
