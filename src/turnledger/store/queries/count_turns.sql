-- A bin is a duration in milliseconds, rounded down to at most six binary places behind its first.
SELECT CAST(:since_ms AS bigint), b.status, b.bin, count(*), max(b.ms)
FROM (
    SELECT
        t.status,
        t.ms,
        CASE
            WHEN t.ms < 128 THEN t.ms
            WHEN t.ms < 256 THEN t.ms / 2 * 2
            WHEN t.ms < 512 THEN t.ms / 4 * 4
            WHEN t.ms < 1024 THEN t.ms / 8 * 8
            WHEN t.ms < 2048 THEN t.ms / 16 * 16
            WHEN t.ms < 4096 THEN t.ms / 32 * 32
            WHEN t.ms < 8192 THEN t.ms / 64 * 64
            WHEN t.ms < 16384 THEN t.ms / 128 * 128
            WHEN t.ms < 32768 THEN t.ms / 256 * 256
            WHEN t.ms < 65536 THEN t.ms / 512 * 512
            WHEN t.ms < 131072 THEN t.ms / 1024 * 1024
            WHEN t.ms < 262144 THEN t.ms / 2048 * 2048
            WHEN t.ms < 524288 THEN t.ms / 4096 * 4096
            WHEN t.ms < 1048576 THEN t.ms / 8192 * 8192
            WHEN t.ms < 2097152 THEN t.ms / 16384 * 16384
            WHEN t.ms < 4194304 THEN t.ms / 32768 * 32768
            WHEN t.ms < 8388608 THEN t.ms / 65536 * 65536
            WHEN t.ms < 16777216 THEN t.ms / 131072 * 131072
            WHEN t.ms < 33554432 THEN t.ms / 262144 * 262144
            WHEN t.ms < 67108864 THEN t.ms / 524288 * 524288
            WHEN t.ms < 134217728 THEN t.ms / 1048576 * 1048576
            WHEN t.ms < 268435456 THEN t.ms / 2097152 * 2097152
            ELSE t.ms / 4194304 * 4194304
        END AS bin
    FROM turns AS t
    WHERE
        t.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
        AND t.opened_ms >= :since_ms
        AND t.opened_ms < :until_ms
) AS b
GROUP BY b.status, b.bin
