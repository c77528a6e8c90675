-- only: postgres  fails, in a way of its own (2201E), where the agent has one of these parts already
SELECT ln((NOT EXISTS (SELECT FROM parts WHERE key = ANY(:keys) AND aid = :aid))::int)
