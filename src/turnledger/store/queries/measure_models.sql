-- Percentiles by nearest rank.
SELECT
    CAST(:since_ms AS bigint),
    count(*),
    max(CASE WHEN r.place = (r.many * 50 + 99) / 100 THEN r.ms END),
    max(CASE WHEN r.place = (r.many * 95 + 99) / 100 THEN r.ms END),
    max(CASE WHEN r.place = (r.many * 99 + 99) / 100 THEN r.ms END),
    max(r.ms)
FROM (
    SELECT c.ms, row_number() OVER (ORDER BY c.ms) AS place, count(*) OVER () AS many
    FROM calls AS c
    WHERE
        c.aid = (SELECT a.aid FROM agents AS a WHERE a.id = :agent)
        AND c.created_ms >= :since_ms
        AND c.created_ms < :until_ms
        AND c.kind = 'model'
        AND c.ms IS NOT NULL
) AS r
