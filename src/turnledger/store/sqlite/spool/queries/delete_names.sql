DELETE FROM names WHERE row = :id;
