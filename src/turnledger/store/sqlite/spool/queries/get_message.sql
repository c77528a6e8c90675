SELECT place FROM names WHERE target = :target AND place IS NOT NULL;
