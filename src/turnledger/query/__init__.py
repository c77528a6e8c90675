"""Reading a ledger: verification, timelines, lists.  Everything here goes through the store's Reader."""
