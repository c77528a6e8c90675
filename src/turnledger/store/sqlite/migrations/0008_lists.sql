-- What lists of conversations ask for: those that wait for somebody, those of one place.

CREATE INDEX turns_waiting ON turns (cid) WHERE status = 'waiting';
CREATE INDEX conversations_place ON conversations (place) WHERE place IS NOT NULL;

DROP VIEW conversation_rows;

CREATE VIEW conversation_rows AS
SELECT
    c.id,
    a.id AS agent,
    a.name AS agent_name,
    (SELECT n.name FROM aliases AS n WHERE n.target = c.id AND n.kind = 'conversation' ORDER BY n.scope, n.digest LIMIT 1) AS key,
    c.connector,
    c.shape,
    (SELECT n.name FROM aliases AS n WHERE n.target = c.place AND n.kind = 'place' ORDER BY n.scope, n.digest LIMIT 1) AS place_name,
    c.opened_ms,
    x.last_ms,
    c.next_position AS events,
    x.turns,
    x.messages,
    x.open_turns,
    CASE
        WHEN x.open_turns > 0 THEN (SELECT count(*) FROM turns AS t WHERE t.cid = x.cid AND t.status = 'waiting')
        ELSE 0
    END AS waiting_turns,
    x.failed_turns,
    x.tokens_in,
    x.tokens_out,
    c.place,
    x.cid,
    x.aid
FROM conversation_activity AS x
INNER JOIN conversations AS c ON c.cid = x.cid
INNER JOIN agents AS a ON a.aid = x.aid;
