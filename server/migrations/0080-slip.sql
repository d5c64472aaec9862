-- Objects that the storage was asked to keep. The row is there before the object, so that an object without anything
-- that names it is found here and removed, whatever process died when.
create table slip_file (
  key text collate "C" primary key,
  created_at timestamptz not null default now()
);

-- Pictures of transfer slips that members sent, and what became of each.
create table slip (
  id uuid primary key,
  member_id uuid not null,
  reference text collate "C" not null,
  currency text collate "C" not null,
  state text collate "C" not null,
  -- Why it was not credited; of MANUAL, why an operator has it.
  reason text collate "C",
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The file as it was sent, until it has been read; nobody is ever shown it.
  upload_key text collate "C",
  -- What is kept and shown: drawn anew, without anything that the file said of itself.
  picture_key text collate "C",
  -- What its code says: the identity of a transfer, case-sensitive.
  sending_bank text collate "C",
  trans_ref text collate "C",
  -- What the bank says when it is asked. Numbers and names are masked by the bank.
  amount bigint,
  paid_at timestamptz,
  evidence jsonb,
  -- A refusal that waits for a moment before it is final.
  verdict text collate "C",
  -- The worker. work_at: when it is looked at next, null when there is nothing left to do. A claim moves it ahead by a
  -- lease, so that a claim whose process died falls due by itself.
  work_at timestamptz default now(),
  tries integer not null default 0,
  refusals integer not null default 0,
  constraint slip_reference unique (reference),
  constraint slip_state check (state in ('RECEIVED', 'READ', 'MANUAL', 'CREDITED', 'FAILED')),
  constraint slip_ended check ((ended_at is null) = (state in ('RECEIVED', 'READ', 'MANUAL'))),
  constraint slip_reason check ((reason is null) = (state in ('RECEIVED', 'READ', 'CREDITED'))),
  constraint slip_read check (state not in ('READ', 'CREDITED') or (sending_bank is not null and trans_ref is not null)),
  constraint slip_credited check (state <> 'CREDITED' or (amount is not null and paid_at is not null)),
  constraint slip_amount check (amount > 0)
) with (fillfactor = 80);

-- One transfer is credited by one slip: whoever comes second is refused here too.
create unique index slip_credited_once on slip (sending_bank, trans_ref) where state = 'CREDITED';
create index slip_member on slip (member_id, created_at desc, id desc);
create index slip_due on slip (work_at) where work_at is not null;
create unique index slip_upload on slip (upload_key) where upload_key is not null;
create unique index slip_picture on slip (picture_key) where picture_key is not null;
