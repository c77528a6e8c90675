-- Two parts of the same kind: what is in the turn's journal, and what its calls came to after its end.
SELECT
    j.id,
    k.state,
    k.currency,
    k.reason,
    count(*),
    CAST(sum(k.nano) AS bigint)
FROM journals AS j
INNER JOIN current_costs AS k ON k.jid = j.jid
WHERE j.id = :journal
GROUP BY j.id, k.state, k.currency, k.reason
UNION ALL
SELECT
    j.id,
    k.state,
    k.currency,
    k.reason,
    count(*),
    CAST(sum(k.nano) AS bigint)
FROM journals AS j
INNER JOIN calls AS c ON c.turn = j.id AND c.aid = j.aid
INNER JOIN current_costs AS k ON k.aid = c.aid AND k.called_ms = c.created_ms AND k.jid = c.jid AND k.seq = c.seq
WHERE j.id = :journal AND c.turn IS NOT NULL
GROUP BY j.id, k.state, k.currency, k.reason
