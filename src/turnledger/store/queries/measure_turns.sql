-- Percentiles by nearest rank.
SELECT
    CAST(:since_ms AS bigint),
    count(*),
    max(CASE WHEN r.place = (r.many * 50 + 99) / 100 THEN r.ms END),
    max(CASE WHEN r.place = (r.many * 95 + 99) / 100 THEN r.ms END),
    max(CASE WHEN r.place = (r.many * 99 + 99) / 100 THEN r.ms END),
    max(r.ms)
FROM (
    SELECT t.ms, row_number() OVER (ORDER BY t.ms) AS place, count(*) OVER () AS many
    FROM turns AS t
    WHERE
        t.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
        AND t.opened_ms >= :since_ms
        AND t.opened_ms < :until_ms
        AND t.ms IS NOT NULL
) AS r
