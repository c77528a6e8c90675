INSERT OR REPLACE INTO ids (proposed, target) VALUES (:proposed, :target);
