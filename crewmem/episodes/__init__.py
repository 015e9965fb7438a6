"""Episodes: the entries worth recalling, with their weight, vectors and relations."""
