-- What the operator offers: bonuses, which members see in a list; promotions, which they know the code of; prizes, which are
-- won and received on no deposit. Filled on first start from seed/bonuses.json, data from then on.
create table bonus_offer (
  code text primary key,
  kind text not null,
  is_on boolean not null default true,
  -- From … until before …; open where it is null.
  starts_at timestamptz,
  ends_at timestamptz,
  -- How often a member can receive it: in all, in a day, or in a calendar week of Asia/Bangkok.
  type text not null default 'limit',
  max_received integer not null default 1,
  -- Of the deposit; null where a fixed amount is given.
  percent numeric(8, 2),
  -- What holds withdrawals back afterwards, in percent of the deposit and what was given on it.
  percent_success numeric(8, 2) not null,
  percent_fail numeric(8, 2) not null,
  -- Stakes that meet it too, as a multiple of the same; null: turnover does not count.
  turnover_times numeric(8, 2),
  -- Maximum age of the deposit that it is given on.
  window_hours integer not null,
  -- How often it is given to all members together, and how often it has been: counted where there is a limit.
  quota integer,
  given integer not null default 0,
  -- {"th": "…", "la": "…", "en": "…"}
  name jsonb not null,
  -- Html, shown sanitised.
  description jsonb not null,
  -- [{"image": "…", "html": {"th": "…", "la": "…", "en": "…"}}]
  banners jsonb not null default '[]',
  position integer not null default 0,
  constraint bonus_offer_code check (code ~ '^[A-Z0-9_-]{1,32}$'),
  constraint bonus_offer_kind check (kind in ('BONUS', 'PROMOTION', 'PRIZE')),
  constraint bonus_offer_type check (type in ('limit', 'day', 'week')),
  constraint bonus_offer_max_received check (max_received between 1 and 1000),
  -- A code is good once for each member.
  constraint bonus_offer_promotion_once check (kind = 'BONUS' or (type = 'limit' and max_received = 1)),
  constraint bonus_offer_percent check (percent > 0),
  constraint bonus_offer_terms check (percent_fail >= 0 and percent_success > percent_fail and turnover_times > 0),
  constraint bonus_offer_dates check (starts_at < ends_at),
  constraint bonus_offer_window check (window_hours between 1 and 8760),
  constraint bonus_offer_quota check (quota >= 0 and given >= 0 and (quota is null or given <= quota))
);

-- Its amounts, in minor units, for members of each currency that it is for.
create table bonus_offer_amount (
  code text not null constraint bonus_offer_amount_offer_exists references bonus_offer (code),
  currency currency not null,
  -- Least deposit that qualifies.
  minimum_deposit bigint not null,
  -- The most of a percentage, or the fixed amount.
  maximum bigint,
  fixed bigint,
  -- What a member may have besides that deposit, or in open bets, when they receive it.
  rest bigint not null,
  -- What it gives to all members together, and has given: counted where there is a limit.
  budget bigint,
  given bigint not null default 0,
  primary key (code, currency),
  constraint bonus_offer_amount_amounts check (minimum_deposit > 0 and maximum > 0 and fixed > 0 and rest >= 0),
  constraint bonus_offer_amount_one check ((maximum is null) <> (fixed is null)),
  -- There are no fractions of a kip.
  constraint bonus_offer_amount_whole_kip check (currency <> 'LAK' or coalesce(fixed % 100 = 0, true)),
  constraint bonus_offer_amount_budget check (budget >= 0 and given >= 0 and (budget is null or given <= budget))
);

-- What members have received, in the commit of its grant.
create table bonus_receipt (
  id uuid primary key,
  seq bigint generated always as identity,
  member_id uuid not null constraint bonus_receipt_member_exists references member (id),
  code text not null constraint bonus_receipt_offer_exists references bonus_offer (code),
  currency currency not null,
  amount bigint not null,
  -- The ledger operation of the deposit that it was given on; null for a prize, which counts towards no limit.
  deposit_operation bigint,
  received_at timestamptz not null,
  -- One deposit earns one bonus or promotion, for ever.
  constraint bonus_receipt_deposit unique (member_id, deposit_operation),
  constraint bonus_receipt_amount check (amount > 0)
);

create index bonus_receipt_of_member on bonus_receipt (member_id, code, seq desc);
create index bonus_receipt_of_offer on bonus_receipt (code);
