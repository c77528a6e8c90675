SELECT count(DISTINCT event_id)
FROM conflicts
