SELECT
    (SELECT count(*) FROM turns) AS turns,
    (SELECT count(*) FROM conversation_activity) AS activity,
    (SELECT count(*) FROM messages) AS messages,
    (SELECT count(*) FROM memory) AS memory
