-- Who has proved a phone: the network they called from, and the token of the code that they did it with. The proof is theirs
-- alone, so that nobody registers a phone that somebody else has just proved.
alter table otp_phone add column proved_from text, add column proved_with bytea check (length(proved_with) = 32);
