SELECT agent.id, conversation.id, j.holder, j.epoch, j.until_ms, j.closed
FROM journals AS j
INNER JOIN agents AS agent ON agent.aid = j.aid
INNER JOIN conversations AS conversation ON conversation.cid = j.cid
WHERE j.id = :turn AND j.kind = 'turn'
