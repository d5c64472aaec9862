-- When a gateway was last asked about a code because its member wanted to see it again.
alter table qrcode add column asked_at timestamptz;
