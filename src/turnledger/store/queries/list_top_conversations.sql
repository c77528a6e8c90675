SELECT
    c.id,
    (SELECT n.name FROM aliases AS n WHERE n.target = c.id AND n.kind = 'conversation' ORDER BY n.scope, n.digest LIMIT 1),
    r.calls,
    r.tokens_in,
    r.tokens_out,
    r.cache_read,
    r.cache_write,
    r.reasoning
FROM (
    SELECT
        cid,
        count(*) AS calls,
        CAST(sum(tokens_in) AS bigint) AS tokens_in,
        CAST(sum(tokens_out) AS bigint) AS tokens_out,
        CAST(sum(cache_read) AS bigint) AS cache_read,
        CAST(sum(cache_write) AS bigint) AS cache_write,
        CAST(sum(reasoning) AS bigint) AS reasoning
    FROM calls
    WHERE
        aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
        AND created_ms >= :since_ms
        AND created_ms < :until_ms
        AND kind = 'model'
    GROUP BY cid
    ORDER BY
        COALESCE(sum(tokens_in), 0) + COALESCE(sum(cache_read), 0) + COALESCE(sum(cache_write), 0)
        + COALESCE(sum(tokens_out), 0) + COALESCE(sum(reasoning), 0) DESC,
        cid
    LIMIT :limit
) AS r
INNER JOIN conversations AS c ON c.cid = r.cid
ORDER BY
    COALESCE(r.tokens_in, 0) + COALESCE(r.cache_read, 0) + COALESCE(r.cache_write, 0)
    + COALESCE(r.tokens_out, 0) + COALESCE(r.reasoning, 0) DESC,
    c.cid
