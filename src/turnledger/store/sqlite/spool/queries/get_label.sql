SELECT label FROM ledger;
