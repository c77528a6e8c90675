DELETE FROM messages
