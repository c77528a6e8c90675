SELECT proposed, target FROM ids;
