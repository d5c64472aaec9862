-- Members whose code is refused at registration and who are paid nothing, by the operator's decision.
create table invite_blocked (
  member_id uuid primary key constraint invite_blocked_member_exists references member (id),
  note text not null default ''
);

-- The inviter of a member. Written in the commit that inserts the invitee, and final from then on.
create table invite (
  inviter_id uuid not null constraint invite_inviter_exists references member (id),
  member_id uuid not null constraint invite_member_exists references member (id),
  -- Of the invitee.
  currency currency not null,
  created_at timestamptz not null,
  -- A deposit of their own was seen: from then on play counts.
  has_deposit boolean not null default false,
  -- What they have played as far as it is known, and how much of that has been paid for. Minor units.
  played bigint not null default 0,
  claimed bigint not null default 0,
  -- What the inviter was paid for it, in ten-thousandths of a minor unit.
  earned bigint not null default 0,
  looked_at timestamptz not null default 'epoch',
  primary key (inviter_id, member_id),
  constraint invite_once unique (member_id),
  constraint invite_self check (inviter_id <> member_id),
  constraint invite_played check (claimed >= 0 and played >= claimed and earned >= 0)
);

create index invite_newest on invite (inviter_id, created_at);
create index invite_looked_at on invite (inviter_id, looked_at);

-- What an invitee has played in one game: the provider's turnover, or else the losses in the ledger up to `seq`.
create table invite_play (
  inviter_id uuid not null,
  member_id uuid not null,
  -- Of the ledger account: GAME:pg.
  kind text not null,
  turnover bigint,
  losses bigint not null default 0,
  seq bigint not null default 0,
  primary key (inviter_id, member_id, kind),
  constraint invite_play_invite_exists foreign key (inviter_id, member_id) references invite (inviter_id, member_id)
);

-- One row per member with invitees: what the wallet shows, without reading any invitee.
create table invite_inviter (
  member_id uuid primary key constraint invite_inviter_member_exists references member (id),
  currency currency not null,
  -- Play that nothing was paid for yet; and what rounding left of what was, in ten-thousandths of a minor unit.
  unclaimed bigint not null default 0,
  remainder bigint not null default 0,
  claims integer not null default 0,
  -- A claim was written, and its credit has not been confirmed yet.
  is_crediting boolean not null default false,
  looked_at timestamptz not null default 'epoch',
  constraint invite_inviter_unclaimed check (unclaimed >= 0 and remainder >= 0)
);
