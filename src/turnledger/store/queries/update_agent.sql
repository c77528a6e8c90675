UPDATE agents
SET turns = :turns, conversations = :conversations
WHERE aid = :aid
