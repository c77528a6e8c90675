-- only: postgres  waits for running appends and holds new ones off, so that a rebuild sees all events
LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE
