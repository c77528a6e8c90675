SELECT
    name,
    count(*) AS calls,
    CAST(sum(failed) AS bigint),
    CAST(sum(tokens_in) AS bigint),
    CAST(sum(tokens_out) AS bigint),
    CAST(sum(cache_read) AS bigint),
    CAST(sum(cache_write) AS bigint),
    CAST(sum(reasoning) AS bigint),
    CAST(COALESCE(sum(ms), 0) AS bigint),
    max(ms)
FROM calls
WHERE
    aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
    AND created_ms >= :since_ms
    AND created_ms < :until_ms
    AND kind = :kind
    AND name IS NOT NULL
GROUP BY name
ORDER BY calls DESC, name
LIMIT :limit
