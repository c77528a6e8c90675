SELECT revision FROM revisions WHERE event = :event;
