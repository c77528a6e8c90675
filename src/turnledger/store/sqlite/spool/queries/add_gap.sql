INSERT INTO gaps (agent, conversation, events) VALUES (:agent, :conversation, :events)
ON CONFLICT (agent, conversation) DO UPDATE SET events = events + excluded.events;
