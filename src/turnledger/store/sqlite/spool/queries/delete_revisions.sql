DELETE FROM revisions WHERE row = :id;
