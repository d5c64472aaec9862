-- Deposits by the image of a transfer slip.

-- Storage objects. The row is inserted before the object is written, so that an object without a slip is found and removed after a
-- crash at any point.
create table slip_file (
  key text collate "C" primary key,
  created_at timestamptz not null default now()
);

create table slip (
  id uuid primary key,
  member_id uuid not null constraint slip_member_exists references member (id),
  reference text collate "C" not null,
  currency currency not null,
  state text collate "C" not null,
  -- Why it was not credited; for MANUAL, why an operator decides.
  reason text collate "C",
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The uploaded file, until it has been read. Never shown.
  upload_key text collate "C",
  -- The image that is kept and shown: re-encoded, without metadata of the upload.
  picture_key text collate "C",
  -- The folder with the files; null: a bucket. Only servers with this folder read it.
  folder_id text collate "C",
  -- From its QR code: the identity of a transfer, case-sensitive.
  sending_bank text collate "C",
  trans_ref text collate "C",
  -- From the bank's reply. The bank masks numbers and names.
  amount bigint,
  paid_at timestamptz,
  evidence jsonb,
  -- A refusal that is deferred briefly before it is final.
  verdict text collate "C",
  -- The operator who decided, as the ledger names them. An approved slip stays MANUAL, and is due, until it is credited.
  decided_by text,
  -- The worker. work_at: when the row is due, null when nothing is left to do. A claim moves it ahead by a lease, so that the row
  -- falls due again if the process dies.
  work_at timestamptz default now(),
  tries integer not null default 0,
  refusals integer not null default 0,
  constraint slip_reference unique (reference),
  constraint slip_state check (state in ('RECEIVED', 'READ', 'MANUAL', 'CREDITED', 'FAILED')),
  constraint slip_ended check ((ended_at is null) = (state in ('RECEIVED', 'READ', 'MANUAL'))),
  constraint slip_reason check ((reason is null) = (state in ('RECEIVED', 'READ', 'CREDITED'))),
  constraint slip_read check (state not in ('READ', 'CREDITED') or (sending_bank is not null and trans_ref is not null)),
  constraint slip_credited check (state <> 'CREDITED' or (amount is not null and paid_at is not null)),
  constraint slip_decided check (decided_by is null or state in ('MANUAL', 'CREDITED', 'FAILED')),
  constraint slip_amount check (amount > 0)
) with (fillfactor = 80);

-- One slip credits a transfer: refuses the second of two concurrent ones.
create unique index slip_credited_once on slip (sending_bank, trans_ref) where state = 'CREDITED';
create index slip_transfer on slip (sending_bank, trans_ref) where trans_ref is not null;
create index slip_member on slip (member_id, created_at desc, id desc);
create index slip_due on slip (work_at) where work_at is not null;
create index slip_manual on slip (created_at) where state = 'MANUAL';
create unique index slip_upload on slip (upload_key) where upload_key is not null;
create unique index slip_picture on slip (picture_key) where picture_key is not null;
