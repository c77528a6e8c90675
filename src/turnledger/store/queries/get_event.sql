SELECT *
FROM event_rows
WHERE event_id = :event
