-- Calls of a conversation that the same answer of a provider was billed with.
SELECT k.cid, k.answer, k.called_ms, k.jid, k.seq
FROM costs AS k
WHERE k.cid = :cid AND k.answer = :answer AND k.state = 'priced'
