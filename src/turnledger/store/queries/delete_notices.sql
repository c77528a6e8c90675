DELETE FROM notices
