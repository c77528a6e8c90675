INSERT INTO aliases (kind, scope, digest, target, name)
VALUES (:kind, :scope, :digest, :target, :name)
