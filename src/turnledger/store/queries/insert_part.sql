INSERT INTO parts (pid, aid, key, size, data)
VALUES (:pid, :aid, :key, :size, :data)
