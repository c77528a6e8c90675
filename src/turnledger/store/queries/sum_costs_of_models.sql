-- CROSS JOIN has SQLite go through the calls and look up the cost of each by its whole key; PostgreSQL decides itself.
SELECT
    c.name,
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
    AND c.kind = 'model'
    AND c.name IS NOT NULL
    AND k.aid = c.aid
    AND k.called_ms = c.created_ms
    AND k.jid = c.jid
    AND k.seq = c.seq
GROUP BY c.name, k.state, k.currency, k.reason
