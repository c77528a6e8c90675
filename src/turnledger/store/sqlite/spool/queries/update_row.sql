UPDATE queue SET tried = 0, kept = :kept, turn = NULL, events = :events, data = :data WHERE id = :id;
