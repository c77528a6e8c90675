INSERT INTO operators (id, name, scopes, agents, created_ms)
VALUES (:id, :name, :scopes, :agents, :created_ms)
ON CONFLICT DO NOTHING
RETURNING id
