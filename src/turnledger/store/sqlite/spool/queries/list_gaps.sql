SELECT agent, conversation, events FROM gaps ORDER BY rowid;
