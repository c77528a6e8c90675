-- journal: of a batch that goes into a turn's, to know whether more of the turn waits.
ALTER TABLE queue ADD COLUMN journal BLOB;
CREATE INDEX queue_journal ON queue (journal, id) WHERE journal IS NOT NULL;
