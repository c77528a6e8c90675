SELECT seq FROM places WHERE place = :place;
