SELECT target, name
FROM aliases
WHERE target = :target
