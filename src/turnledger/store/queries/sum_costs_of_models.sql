-- What came late has no name of its own: it counts for the model that it was priced as.
-- CROSS JOIN has SQLite go through the calls and look up the cost of each by its whole key; PostgreSQL decides itself.
SELECT
    CASE c.kind WHEN 'late' THEN k.model ELSE c.name END AS name,
    k.state,
    k.currency,
    k.reason,
    count(*),
    CAST(sum(k.nano) AS bigint)
FROM calls AS c
CROSS JOIN current_costs AS k
WHERE
    c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND c.created_ms >= :since_ms
    AND c.created_ms < :until_ms
    AND ((c.kind = 'model' AND c.name IS NOT NULL) OR (c.kind = 'late' AND k.model IS NOT NULL))
    AND k.aid = c.aid
    AND k.called_ms = c.created_ms
    AND k.jid = c.jid
    AND k.seq = c.seq
GROUP BY CASE c.kind WHEN 'late' THEN k.model ELSE c.name END, k.state, k.currency, k.reason
