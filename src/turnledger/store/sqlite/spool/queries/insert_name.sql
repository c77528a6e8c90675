INSERT INTO names (kind, scope, name, target, place, row)
VALUES (:kind, :scope, :name, :target, :place, :row);
