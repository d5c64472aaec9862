-- Nobody asks for a member's transfers by time: the statement is made of the ledger. It was one more write per transfer.
drop index transfer_of_member;
