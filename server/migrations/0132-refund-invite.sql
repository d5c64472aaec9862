-- What the operator shows before a dialog opens. Html in all languages of the product; `image` is an address, or empty.
create table banner (
  kind text not null,
  position integer not null,
  image text not null default '',
  th text not null,
  la text not null,
  en text not null,
  is_enabled boolean not null default true,
  primary key (kind, position),
  constraint banner_kind check (kind in ('invite', 'refund'))
);

-- Refunds that were given, each for one closed period of its member, with what it was worked out from. Minor units.
create table refund (
  member_id text not null,
  -- From … until before …
  period_from timestamptz not null,
  period_to timestamptz not null,
  currency text not null,
  -- Deposits less withdrawals and what the house gave; and what play took.
  paid_in bigint not null,
  lost bigint not null,
  percent numeric(8, 2) not null,
  amount bigint not null,
  -- Of the grant that pays it.
  source text not null,
  created_at timestamptz not null,
  primary key (member_id, period_from),
  constraint refund_period check (period_from < period_to),
  constraint refund_amount check (amount > 0 and amount <= paid_in and amount <= lost)
);

-- Members whose code nobody is registered by and who are paid nothing, by the operator's word.
create table invite_blocked (
  member_id text primary key,
  note text not null default ''
);

-- Who came by whose code. Written in the commit that enters the invitee, and never another inviter after that.
create table invite (
  inviter_id text not null,
  member_id text not null,
  -- Of the invitee.
  currency text not null,
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
  constraint invite_played check (claimed >= 0 and played >= claimed)
);

create index invite_newest on invite (inviter_id, created_at);
create index invite_looked_at on invite (inviter_id, looked_at);

-- What an invitee has played in one game: what the provider tells, or else what the ledger has seen lost up to `seq`.
create table invite_play (
  inviter_id text not null,
  member_id text not null,
  -- Of the ledger account: GAME:pg.
  kind text not null,
  turnover bigint,
  losses bigint not null default 0,
  seq bigint not null default 0,
  primary key (inviter_id, member_id, kind)
);

-- One row for each who has invited somebody: what the wallet shows, without looking at any invitee.
create table inviter (
  member_id text primary key,
  currency text not null,
  -- Play that nothing was paid for yet; and what rounding left of what was, in ten-thousandths of a minor unit.
  unclaimed bigint not null default 0,
  remainder bigint not null default 0,
  claims integer not null default 0,
  -- A claim was written down, and nobody has seen it credited yet.
  is_crediting boolean not null default false,
  looked_at timestamptz not null default 'epoch',
  constraint inviter_unclaimed check (unclaimed >= 0 and remainder >= 0)
);

-- Those who have registered before: the code that they typed tells who invited them.
insert into invite (inviter_id, member_id, currency, created_at)
  select i.id::text, m.id::text, m.currency, m.created_at
    from member m
    join member i on i.id::text = lower(substr(btrim(m.invite_code), 3))
   where upper(left(btrim(m.invite_code), 2)) = 'PR' and i.id <> m.id and i.status = 'active'
     and i.created_at <= m.created_at;
insert into inviter (member_id, currency)
  select distinct i.id::text, i.currency from member i join invite v on v.inviter_id = i.id::text;
