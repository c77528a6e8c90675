SELECT jid, kind, id, aid, cid, ordinal, next_seq, head, last_ms, closed, holder, epoch, until_ms
FROM journals
WHERE jid > :after
ORDER BY jid
LIMIT :limit
