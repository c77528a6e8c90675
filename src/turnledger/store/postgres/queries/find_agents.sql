-- only: postgres  what lock_agents may have had to wait for
SELECT aid, id, name, opened_ms, turns, conversations
FROM agents
WHERE id = ANY(:ids)
