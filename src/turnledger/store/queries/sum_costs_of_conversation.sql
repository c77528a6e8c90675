SELECT
    c.id,
    k.state,
    k.currency,
    k.reason,
    count(*),
    CAST(sum(k.nano) AS bigint)
FROM conversations AS c
INNER JOIN current_costs AS k ON k.cid = c.cid
WHERE c.id = :conversation
GROUP BY c.id, k.state, k.currency, k.reason
