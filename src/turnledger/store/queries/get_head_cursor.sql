SELECT COALESCE(max(eid), 0)
FROM events
