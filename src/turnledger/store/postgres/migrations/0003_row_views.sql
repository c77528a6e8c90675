-- What readers list, one view per kind of row.  The last columns of each are small keys for filters and order.

CREATE VIEW event_rows AS
SELECT
    j.kind AS journal_kind,
    j.id AS journal,
    a.id AS agent,
    c.id AS conversation,
    e.seq,
    e.type,
    e.payload_hash,
    e.tokens,
    e.hash,
    e.created_ms,
    e.event_id,
    e.position,
    e.detail,
    e.eid AS cursor,
    -- Slots as "slot size present", one a line.
    (
        SELECT string_agg(format('%s %s %s', b.slot, b.size, (b.salt IS NOT NULL)::int), chr(10))
        FROM bodies AS b
        WHERE b.jid = e.jid AND b.seq = e.seq
    ) AS bodies,
    e.jid,
    e.cid,
    j.aid
FROM events AS e
INNER JOIN journals AS j ON j.jid = e.jid
LEFT JOIN agents AS a ON a.aid = j.aid
LEFT JOIN conversations AS c ON c.cid = e.cid;

CREATE VIEW journal_rows AS
SELECT
    j.kind,
    j.id,
    a.id AS agent,
    c.id AS conversation,
    j.ordinal,
    j.next_seq AS events,
    j.head,
    j.jid
FROM journals AS j
LEFT JOIN agents AS a ON a.aid = j.aid
LEFT JOIN conversations AS c ON c.cid = j.cid;

CREATE VIEW turn_rows AS
SELECT
    j.id,
    a.id AS agent,
    a.name AS agent_name,
    c.id AS conversation,
    j.ordinal,
    t.status,
    t.error_class,
    t.cause,
    t.opened_ms,
    t.closed_ms,
    t.ms,
    j.next_seq AS events,
    j.head,
    t.model_calls,
    t.tool_calls,
    t.open_steps,
    t.errors,
    t.tokens_in,
    t.tokens_out,
    t.cache_read,
    t.cache_write,
    t.reasoning,
    t.parent,
    t.jid,
    t.aid,
    t.cid
FROM turns AS t
INNER JOIN journals AS j ON j.jid = t.jid
INNER JOIN agents AS a ON a.aid = t.aid
INNER JOIN conversations AS c ON c.cid = t.cid;

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
    x.failed_turns,
    x.tokens_in,
    x.tokens_out,
    c.place,
    x.cid,
    x.aid
FROM conversation_activity AS x
INNER JOIN conversations AS c ON c.cid = x.cid
INNER JOIN agents AS a ON a.aid = x.aid;
