-- only: sqlite  small keys are counted under the write lock, where the other engine has sequences
SELECT
    (SELECT COALESCE(max(aid), 0) FROM agents),
    (SELECT COALESCE(max(cid), 0) FROM conversations),
    (SELECT COALESCE(max(jid), 0) FROM journals),
    (SELECT COALESCE(max(pid), 0) FROM parts)
