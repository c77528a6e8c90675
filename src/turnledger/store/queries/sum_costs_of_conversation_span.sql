SELECT
    c.id,
    k.state,
    k.currency,
    k.reason,
    count(*),
    CAST(sum(k.nano) AS bigint)
FROM conversations AS c
INNER JOIN current_costs AS k ON k.cid = c.cid
WHERE c.id = :conversation AND k.called_ms >= :since_ms AND k.called_ms < :until_ms
GROUP BY c.id, k.state, k.currency, k.reason
