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
