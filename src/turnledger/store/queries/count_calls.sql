-- A bin is a duration in milliseconds, rounded down to at most six binary places behind its first.
SELECT
    CAST(:since_ms AS bigint),
    b.kind,
    b.bin,
    count(*),
    max(b.ms),
    CAST(sum(b.failed) AS bigint),
    CAST(sum(b.tokens_in) AS bigint),
    CAST(sum(b.tokens_out) AS bigint),
    CAST(sum(b.cache_read) AS bigint),
    CAST(sum(b.cache_write) AS bigint),
    CAST(sum(b.reasoning) AS bigint)
FROM (
    SELECT
        c.kind,
        c.ms,
        c.failed,
        c.tokens_in,
        c.tokens_out,
        c.cache_read,
        c.cache_write,
        c.reasoning,
        CASE
            WHEN c.ms < 128 THEN c.ms
            WHEN c.ms < 256 THEN c.ms / 2 * 2
            WHEN c.ms < 512 THEN c.ms / 4 * 4
            WHEN c.ms < 1024 THEN c.ms / 8 * 8
            WHEN c.ms < 2048 THEN c.ms / 16 * 16
            WHEN c.ms < 4096 THEN c.ms / 32 * 32
            WHEN c.ms < 8192 THEN c.ms / 64 * 64
            WHEN c.ms < 16384 THEN c.ms / 128 * 128
            WHEN c.ms < 32768 THEN c.ms / 256 * 256
            WHEN c.ms < 65536 THEN c.ms / 512 * 512
            WHEN c.ms < 131072 THEN c.ms / 1024 * 1024
            WHEN c.ms < 262144 THEN c.ms / 2048 * 2048
            WHEN c.ms < 524288 THEN c.ms / 4096 * 4096
            WHEN c.ms < 1048576 THEN c.ms / 8192 * 8192
            WHEN c.ms < 2097152 THEN c.ms / 16384 * 16384
            WHEN c.ms < 4194304 THEN c.ms / 32768 * 32768
            WHEN c.ms < 8388608 THEN c.ms / 65536 * 65536
            WHEN c.ms < 16777216 THEN c.ms / 131072 * 131072
            WHEN c.ms < 33554432 THEN c.ms / 262144 * 262144
            WHEN c.ms < 67108864 THEN c.ms / 524288 * 524288
            WHEN c.ms < 134217728 THEN c.ms / 1048576 * 1048576
            WHEN c.ms < 268435456 THEN c.ms / 2097152 * 2097152
            ELSE c.ms / 4194304 * 4194304
        END AS bin
    FROM calls AS c
    WHERE
        c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
        AND c.created_ms >= :since_ms
        AND c.created_ms < :until_ms
        AND c.kind <> 'late'
) AS b
GROUP BY b.kind, b.bin
