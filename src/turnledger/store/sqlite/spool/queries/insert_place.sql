INSERT OR REPLACE INTO places (place, seq) VALUES (:place, :seq);
