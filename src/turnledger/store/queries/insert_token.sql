INSERT INTO tokens (digest, id, name, scopes, agents, created_ms)
VALUES (:digest, :id, :name, :scopes, :agents, :created_ms)
