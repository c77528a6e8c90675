SELECT
    CAST(:since_ms AS bigint),
    k.state,
    k.currency,
    k.reason,
    count(*),
    CAST(sum(k.nano) AS bigint)
FROM current_costs AS k
WHERE
    k.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND k.called_ms >= :since_ms
    AND k.called_ms < :until_ms
GROUP BY k.state, k.currency, k.reason
