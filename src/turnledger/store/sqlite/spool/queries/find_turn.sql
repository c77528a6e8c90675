SELECT EXISTS (SELECT 1 FROM queue WHERE turn = :turn);
