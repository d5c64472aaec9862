-- oldest program: 0319
-- Open items of a member, for GET /api/pending. Codes, withdrawals and transfers have such indexes.
create index deposit_notice_pending on deposit_notice (member_id) where state = 'OPEN';
create index slip_pending on slip (member_id) where state in ('RECEIVED', 'READ', 'MANUAL');
create index truelink_gift_pending on truelink_gift (member_id) where state not in ('CREDITED', 'FAILED');
