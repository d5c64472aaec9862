-- A session that was logged out stays until it would have ended: where a member has come in from is what tells their own
-- address from a stranger's when somebody guesses at their password from everywhere.
alter table session add column logged_out_at timestamptz;
create index session_member_address on session (member_id, address);
-- One index is enough for both.
drop index session_member;
