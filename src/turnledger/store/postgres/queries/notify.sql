-- only: postgres  tells listeners in other processes that something was committed
NOTIFY turnledger
