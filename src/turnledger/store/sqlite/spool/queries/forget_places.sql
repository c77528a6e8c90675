DELETE FROM places;
