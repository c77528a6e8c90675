SELECT kind, scope, digest, target
FROM aliases
WHERE kind = :kind AND scope = :scope AND digest = :digest
