SELECT target FROM names WHERE kind = :kind AND scope = :scope AND name = :name;
