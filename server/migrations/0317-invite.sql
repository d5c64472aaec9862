-- Members whose code is refused at registration and who earn nothing, by the operator's decision.
create table invite_blocked (
  member_id uuid primary key constraint invite_blocked_member_exists references member (id),
  note text not null default ''
);

-- The inviter of a member. Written in the commit that inserts the invitee; final.
create table invite (
  inviter_id uuid not null constraint invite_inviter_exists references member (id),
  member_id uuid not null constraint invite_member_exists references member (id),
  -- Currency of the invitee.
  currency currency not null,
  created_at timestamptz not null,
  -- The invitee has made a deposit: from then on play counts.
  has_deposit boolean not null default false,
  -- Known play of the invitee, and how much of it has been paid for. Minor units.
  played bigint not null default 0,
  claimed bigint not null default 0,
  -- Paid to the inviter for it, in ten-thousandths of a minor unit.
  earned bigint not null default 0,
  looked_at timestamptz not null default 'epoch',
  primary key (inviter_id, member_id),
  constraint invite_once unique (member_id),
  constraint invite_self check (inviter_id <> member_id),
  constraint invite_played check (claimed >= 0 and played >= claimed and earned >= 0)
);

create index invite_newest on invite (inviter_id, created_at);
create index invite_looked_at on invite (inviter_id, looked_at);

-- Play of an invitee in one game: the provider's turnover, or else the losses in the ledger up to `seq`.
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

-- One row per member with invitees: what the wallet shows, without reading the invitees.
create table invite_inviter (
  member_id uuid primary key constraint invite_inviter_member_exists references member (id),
  currency currency not null,
  -- Play not paid for yet; and the remainder of rounding, in ten-thousandths of a minor unit.
  unclaimed bigint not null default 0,
  remainder bigint not null default 0,
  claims integer not null default 0,
  -- A claim is written, and its credit is not confirmed yet.
  is_crediting boolean not null default false,
  looked_at timestamptz not null default 'epoch',
  constraint invite_inviter_unclaimed check (unclaimed >= 0 and remainder >= 0)
);
