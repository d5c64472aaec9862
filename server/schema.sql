-- Made from the migrations by `npm run schema -- --write`; not to be edited.

create schema commands;

create schema ledger;

create type ledger.operation_state as enum ('applied', 'rejected', 'pending', 'posted', 'voided');

create type ledger.operation_type as enum ('transfer', 'hold', 'post', 'void', 'adjust', 'mark');

create domain public.currency as text constraint currency_known CHECK ((VALUE = ANY (ARRAY['BAHT'::text, 'LAK'::text])));

create table ledger.account (
  id bigint not null generated always as identity,
  posted bigint not null default 0,
  held bigint not null default 0,
  floor bigint not null default 0,
  seq bigint not null default 0,
  resolved bigint not null default 0,
  at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  stripe smallint not null default 0,
  bounded boolean not null,
  member_id text not null,
  kind text not null,
  currency currency not null,
  constraint account_bounded CHECK ((bounded = (member_id <> ''::text))),
  constraint account_floor CHECK (((NOT bounded) OR ((posted - held) >= floor))),
  constraint account_held CHECK (((held >= 0) AND (bounded OR (held = 0)))),
  constraint account_owner UNIQUE (member_id, kind, currency, stripe),
  constraint account_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table ledger.batch (
  id bigint not null,
  lane smallint not null,
  first_operation bigint not null,
  last_operation bigint not null,
  at timestamp with time zone not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint batch_pkey PRIMARY KEY (id)
);

create table ledger.entry (
  account_id bigint not null,
  seq bigint not null,
  operation_id bigint not null,
  amount bigint not null,
  balance bigint not null,
  held bigint not null,
  at timestamp with time zone not null,
  constraint entry_once PRIMARY KEY (account_id, seq)
);

create table ledger.lane (
  id smallint not null,
  last_batch bigint not null default 0,
  hash bytea not null default '\x'::bytea,
  constraint lane_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table ledger.operation (
  id bigint not null,
  idempotency_key uuid not null,
  request_hash uuid not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null,
  pending bigint,
  type ledger.operation_type not null,
  state ledger.operation_state not null,
  kind text not null,
  reference text not null,
  actor text not null,
  reason text,
  constraint operation_amount CHECK (
CASE
    WHEN ((type)::text = 'mark'::text) THEN (amount = 0)
    ELSE ((amount > 0) OR ((amount = 0) AND ((state = 'rejected'::ledger.operation_state) OR (type = 'adjust'::ledger.operation_type))))
END),
  constraint operation_key UNIQUE (idempotency_key),
  constraint operation_legs CHECK ((debit <> credit)),
  constraint operation_pkey PRIMARY KEY (id),
  constraint operation_reason CHECK (((state = 'rejected'::ledger.operation_state) = (reason IS NOT NULL))),
  constraint operation_state CHECK ((((type = 'hold'::ledger.operation_type) = (state = ANY (ARRAY['pending'::ledger.operation_state, 'posted'::ledger.operation_state, 'voided'::ledger.operation_state]))) OR (state = 'rejected'::ledger.operation_state)))
);

create table public.bonus_offer (
  code text not null,
  kind text not null,
  is_on boolean not null default true,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  type text not null default 'limit'::text,
  max_received integer not null default 1,
  percent numeric(8,2),
  percent_success numeric(8,2) not null,
  percent_fail numeric(8,2) not null,
  turnover_times numeric(8,2),
  window_hours integer not null,
  quota integer,
  given integer not null default 0,
  name jsonb not null,
  description jsonb not null,
  banners jsonb not null default '[]'::jsonb,
  "position" integer not null default 0,
  constraint bonus_offer_code CHECK ((code ~ '^[A-Z0-9_-]{1,32}$'::text)),
  constraint bonus_offer_dates CHECK ((starts_at < ends_at)),
  constraint bonus_offer_kind CHECK ((kind = ANY (ARRAY['BONUS'::text, 'PROMOTION'::text, 'PRIZE'::text]))),
  constraint bonus_offer_max_received CHECK (((max_received >= 1) AND (max_received <= 1000))),
  constraint bonus_offer_percent CHECK ((percent > (0)::numeric)),
  constraint bonus_offer_pkey PRIMARY KEY (code),
  constraint bonus_offer_promotion_once CHECK (((kind = 'BONUS'::text) OR ((type = 'limit'::text) AND (max_received = 1)))),
  constraint bonus_offer_quota CHECK (((quota >= 0) AND (given >= 0) AND ((quota IS NULL) OR (given <= quota)))),
  constraint bonus_offer_terms CHECK (((percent_fail >= (0)::numeric) AND (percent_success > percent_fail) AND (turnover_times > (0)::numeric))),
  constraint bonus_offer_type CHECK ((type = ANY (ARRAY['limit'::text, 'day'::text, 'week'::text]))),
  constraint bonus_offer_window CHECK (((window_hours >= 1) AND (window_hours <= 8760)))
);

create table public.bonus_offer_amount (
  code text not null,
  currency currency not null,
  minimum_deposit bigint not null,
  maximum bigint,
  fixed bigint,
  rest bigint not null,
  budget bigint,
  given bigint not null default 0,
  constraint bonus_offer_amount_amounts CHECK (((minimum_deposit > 0) AND (maximum > 0) AND (fixed > 0) AND (rest >= 0))),
  constraint bonus_offer_amount_budget CHECK (((budget >= 0) AND (given >= 0) AND ((budget IS NULL) OR (given <= budget)))),
  constraint bonus_offer_amount_offer_exists FOREIGN KEY (code) REFERENCES bonus_offer(code),
  constraint bonus_offer_amount_one CHECK (((maximum IS NULL) <> (fixed IS NULL))),
  constraint bonus_offer_amount_pkey PRIMARY KEY (code, currency),
  constraint bonus_offer_amount_whole_kip CHECK ((((currency)::text <> 'LAK'::text) OR COALESCE(((fixed % (100)::bigint) = 0), true)))
);

create table public.bonus_receipt (
  id uuid not null,
  seq bigint not null generated always as identity,
  member_id uuid not null,
  code text not null,
  currency currency not null,
  amount bigint not null,
  deposit_operation bigint,
  received_at timestamp with time zone not null,
  constraint bonus_receipt_amount CHECK ((amount > 0)),
  constraint bonus_receipt_deposit UNIQUE (member_id, deposit_operation),
  constraint bonus_receipt_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint bonus_receipt_offer_exists FOREIGN KEY (code) REFERENCES bonus_offer(code),
  constraint bonus_receipt_pkey PRIMARY KEY (id)
);

create table public.chat_conversation (
  id uuid not null,
  kind text not null,
  customer_id text not null,
  created_at timestamp with time zone not null default now(),
  last_sequence integer not null default 0,
  read_sequence integer not null default 0,
  waiting_since timestamp with time zone,
  told_sequence integer not null default 0,
  tell_at timestamp with time zone,
  tell_tries integer not null default 0,
  needs_person boolean not null default false,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint chat_conversation_customer UNIQUE (kind, customer_id),
  constraint chat_conversation_kind CHECK ((kind = ANY (ARRAY['member'::text, 'visitor'::text]))),
  constraint chat_conversation_pkey PRIMARY KEY (id),
  constraint chat_conversation_read CHECK (((read_sequence >= 0) AND (read_sequence <= last_sequence))),
  constraint chat_conversation_told CHECK (((told_sequence >= 0) AND (told_sequence <= last_sequence)))
) with (fillfactor=80);

create table public.chat_file (
  key text not null,
  conversation_id uuid not null,
  kind text not null,
  content_type text not null,
  bytes bigint not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone,
  constraint chat_file_bytes CHECK ((bytes >= 0)),
  constraint chat_file_conversation_exists FOREIGN KEY (conversation_id) REFERENCES chat_conversation(id),
  constraint chat_file_kind CHECK ((kind = ANY (ARRAY['image'::text, 'video'::text]))),
  constraint chat_file_pkey PRIMARY KEY (key)
);

create table public.chat_message (
  conversation_id uuid not null,
  sequence integer not null,
  id uuid not null,
  sender text not null,
  type text not null,
  payload jsonb not null,
  client_id text not null default ''::text,
  input_hash bytea,
  answer_id text,
  name text not null default ''::text,
  username text not null default ''::text,
  session_id text not null default ''::text,
  device_token text not null default ''::text,
  created_at timestamp with time zone not null default now(),
  reference text,
  constraint chat_message_answer CHECK (((answer_id IS NOT NULL) = (sender = 'other'::text))),
  constraint chat_message_conversation_exists FOREIGN KEY (conversation_id) REFERENCES chat_conversation(id),
  constraint chat_message_key CHECK (((client_id = ''::text) OR ((sender = 'customer'::text) AND (input_hash IS NOT NULL)))),
  constraint chat_message_pkey PRIMARY KEY (conversation_id, sequence),
  constraint chat_message_reference CHECK (((reference IS NULL) OR ((sender = 'customer'::text) AND (reference ~ '^(line-[1-9][0-9]{0,18}|[A-Z0-9]{1,32})$'::text)))),
  constraint chat_message_sender CHECK ((sender = ANY (ARRAY['customer'::text, 'other'::text]))),
  constraint chat_message_sequence CHECK ((sequence > 0)),
  constraint chat_message_type CHECK ((type = ANY (ARRAY['text'::text, 'buttons'::text, 'media'::text, 'quick_replies'::text, 'generic'::text, 'postback'::text, 'unknown'::text])))
);

create table public.chat_visitor (
  guest_id text not null,
  secret_hash bytea,
  created_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  has_written boolean not null default false,
  constraint chat_visitor_guest_id CHECK ((guest_id ~ '^([0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$'::text)),
  constraint chat_visitor_pkey PRIMARY KEY (guest_id),
  constraint chat_visitor_secret_hash CHECK ((length(secret_hash) = 32))
);

create table public.check_run (
  name text not null,
  ended_at timestamp with time zone not null default clock_timestamp(),
  wrong integer not null,
  constraint check_run_name CHECK ((name = ANY (ARRAY['audit'::text, 'reconcile'::text]))),
  constraint check_run_pkey PRIMARY KEY (name),
  constraint check_run_wrong CHECK ((wrong >= 0))
);

create table public.config_version (
  subject text not null,
  version integer not null,
  document jsonb not null,
  hash text not null,
  based_on integer,
  state text not null,
  author text not null,
  note text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint config_version_based_on_exists FOREIGN KEY (subject, based_on) REFERENCES config_version(subject, version),
  constraint config_version_hash CHECK ((hash ~ '^[0-9a-f]{64}$'::text)),
  constraint config_version_number CHECK (((version > 0) AND (based_on < version))),
  constraint config_version_pkey PRIMARY KEY (subject, version),
  constraint config_version_state CHECK ((state = ANY (ARRAY['PUBLISHED'::text, 'SUPERSEDED'::text])))
);

create table public.deposit_account (
  bank_code text not null,
  bank_type text not null,
  mode text not null,
  name_th text not null,
  name_en text not null,
  account_name text not null default ''::text,
  account_no text not null default ''::text,
  currency currency not null,
  minimum bigint,
  maximum bigint,
  "position" integer not null,
  is_enabled boolean not null default true,
  constraint deposit_account_limits CHECK (((minimum > 0) AND (maximum > 0))),
  constraint deposit_account_pkey PRIMARY KEY (bank_code, bank_type, account_no),
  constraint deposit_account_type CHECK ((bank_type = ANY (ARRAY['PAYMENT'::text, 'BANK'::text])))
);

create table public.deposit_arrival (
  id uuid not null,
  sending_bank text not null,
  trans_ref text not null,
  house text not null,
  currency currency not null,
  amount bigint not null,
  sender_account text not null,
  sender_name text not null,
  reference1 text,
  sent_at timestamp with time zone not null,
  seen_at timestamp with time zone not null default now(),
  fed_at timestamp with time zone,
  state text not null default 'NEW'::text,
  reason text,
  candidates uuid[] not null default '{}'::uuid[],
  suspended_at timestamp with time zone,
  member_id uuid,
  debit_house text,
  via text,
  note text,
  claimed_at timestamp with time zone,
  credited_at timestamp with time zone,
  work_at timestamp with time zone,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint deposit_arrival_amount CHECK ((amount > 0)),
  constraint deposit_arrival_claimed CHECK ((((member_id IS NULL) = (via IS NULL)) AND ((member_id IS NULL) = (claimed_at IS NULL)) AND ((member_id IS NULL) OR (state <> 'GATEWAY'::text)) AND ((state = 'CREDITED'::text) = (debit_house IS NOT NULL)) AND ((state <> 'CREDITED'::text) OR (member_id IS NOT NULL)))),
  constraint deposit_arrival_credited CHECK (((state = 'CREDITED'::text) = (credited_at IS NOT NULL))),
  constraint deposit_arrival_identity UNIQUE (sending_bank, trans_ref),
  constraint deposit_arrival_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint deposit_arrival_pkey PRIMARY KEY (id),
  constraint deposit_arrival_sending_bank CHECK ((sending_bank ~ '^([0-9]{3}|WALLET_APP)$'::text)),
  constraint deposit_arrival_state CHECK ((state = ANY (ARRAY['NEW'::text, 'SUSPENSE'::text, 'CREDITED'::text, 'GATEWAY'::text]))),
  constraint deposit_arrival_suspended CHECK (((state <> 'SUSPENSE'::text) OR ((suspended_at IS NOT NULL) AND (reason IS NOT NULL)))),
  constraint deposit_arrival_trans_ref CHECK ((trans_ref ~ '^[!-~]{1,64}$'::text))
) with (fillfactor=80);

create table public.deposit_bonus (
  credit_key text not null,
  member_id uuid not null,
  currency currency not null,
  code text not null,
  deposit text not null,
  state text not null default 'DUE'::text,
  credited_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  amount bigint,
  reason text,
  detail text,
  work_at timestamp with time zone default now(),
  providers text not null default 'none'::text,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint deposit_bonus_deposit UNIQUE (deposit),
  constraint deposit_bonus_ended CHECK ((((state = 'DUE'::text) = (ended_at IS NULL)) AND ((state = 'DUE'::text) = (work_at IS NOT NULL)))),
  constraint deposit_bonus_pkey PRIMARY KEY (credit_key),
  constraint deposit_bonus_received CHECK ((((state = 'RECEIVED'::text) = (amount IS NOT NULL)) AND (amount > 0))),
  constraint deposit_bonus_refused CHECK (((state = 'REFUSED'::text) = (reason IS NOT NULL))),
  constraint deposit_bonus_state CHECK ((state = ANY (ARRAY['DUE'::text, 'RECEIVED'::text, 'REFUSED'::text])))
) with (fillfactor=80);

create table public.deposit_feed (
  name text not null,
  cursor text not null default ''::text,
  poll_at timestamp with time zone not null default now(),
  wakes integer not null default 0,
  silences integer not null default 0,
  polled_at timestamp with time zone,
  is_watched boolean not null default true,
  read_at timestamp with time zone,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint deposit_feed_pkey PRIMARY KEY (name)
) with (fillfactor=50);

create table public.deposit_notice (
  id uuid not null,
  member_id uuid not null,
  reference text not null,
  house text not null,
  currency currency not null,
  amount bigint not null,
  pay_amount bigint not null,
  state text not null default 'OPEN'::text,
  is_late boolean not null default false,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  release_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  arrival_id uuid,
  bonus_code text,
  constraint deposit_notice_amount CHECK (((amount > 0) AND (pay_amount >= amount))),
  constraint deposit_notice_arrival_exists FOREIGN KEY (arrival_id) REFERENCES deposit_arrival(id),
  constraint deposit_notice_ended CHECK (((state = 'OPEN'::text) = (ended_at IS NULL))),
  constraint deposit_notice_found CHECK (((state <> ALL (ARRAY['MATCHED'::text, 'THIRD_PARTY'::text])) OR (arrival_id IS NOT NULL))),
  constraint deposit_notice_late CHECK (((NOT is_late) OR (state = 'MATCHED'::text))),
  constraint deposit_notice_life CHECK ((expires_at <= release_at)),
  constraint deposit_notice_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint deposit_notice_pkey PRIMARY KEY (id),
  constraint deposit_notice_reference UNIQUE (reference),
  constraint deposit_notice_state CHECK ((state = ANY (ARRAY['OPEN'::text, 'MATCHED'::text, 'EXPIRED'::text, 'THIRD_PARTY'::text])))
) with (fillfactor=80);

create table public.deposit_notice_request (
  member_id uuid not null,
  key text not null,
  request_hash bytea not null,
  notice_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint deposit_notice_request_key PRIMARY KEY (member_id, key),
  constraint deposit_notice_request_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint deposit_notice_request_notice_exists FOREIGN KEY (notice_id) REFERENCES deposit_notice(id)
);

create table public.deposit_parked (
  id bigint not null generated always as identity,
  gateway text not null,
  reference text not null,
  reason text not null,
  evidence text not null,
  times integer not null default 1,
  first_at timestamp with time zone not null default now(),
  last_at timestamp with time zone not null default now(),
  settled_at timestamp with time zone,
  settled_by text,
  constraint deposit_parked_evidence CHECK ((length(evidence) <= 500)),
  constraint deposit_parked_once UNIQUE (gateway, reference, reason, evidence),
  constraint deposit_parked_pkey PRIMARY KEY (id),
  constraint deposit_parked_settled_by CHECK (((settled_by IS NULL) OR (settled_at IS NOT NULL)))
);

create table public.deposit_reserved_amount (
  look text not null,
  pay_amount bigint not null,
  notice_id uuid not null,
  release_at timestamp with time zone,
  constraint deposit_reserved_amount_notice_exists FOREIGN KEY (notice_id) REFERENCES deposit_notice(id) DEFERRABLE INITIALLY DEFERRED,
  constraint deposit_reserved_amount_once PRIMARY KEY (look, pay_amount)
);

create table public.deposit_unreadable_line (
  feed text not null,
  hash bytea not null,
  line text not null,
  seen_at timestamp with time zone not null default now(),
  id bigint not null generated always as identity,
  currency currency,
  error text not null default 'unreadable'::text,
  settled_at timestamp with time zone,
  settled_by text,
  constraint deposit_unreadable_line_hash CHECK ((length(hash) = 32)),
  constraint deposit_unreadable_line_id UNIQUE (id),
  constraint deposit_unreadable_line_length CHECK ((length(line) <= 2000)),
  constraint deposit_unreadable_line_once PRIMARY KEY (feed, hash),
  constraint deposit_unreadable_line_settled CHECK (((settled_at IS NULL) = (settled_by IS NULL)))
);

create table public.deposit_wallet_app (
  mode text not null,
  account_name text not null,
  account_no text not null,
  "position" integer not null,
  is_enabled boolean not null default true,
  constraint deposit_wallet_app_mode CHECK ((mode = ANY (ARRAY['AUTO'::text, 'GIFT'::text]))),
  constraint deposit_wallet_app_pkey PRIMARY KEY (mode, account_no)
);

create table public.deposit_way_stat (
  way text not null,
  currency currency not null,
  median_ms bigint,
  samples integer not null,
  created integer not null,
  failed integer not null,
  at timestamp with time zone not null,
  constraint deposit_way_stat_counts CHECK (((samples >= 0) AND ((failed >= 0) AND (failed <= created)) AND ((median_ms IS NULL) = (samples = 0)))),
  constraint deposit_way_stat_once PRIMARY KEY (way, currency)
);

create table public.encryption_check (
  only_row boolean not null default true,
  sealed bytea not null,
  constraint encryption_check_only_row CHECK (only_row),
  constraint encryption_check_pkey PRIMARY KEY (only_row)
);

create table public.failed_work (
  table_name text not null,
  item text not null,
  attempts integer not null default 1,
  error text not null,
  first_at timestamp with time zone not null default now(),
  last_at timestamp with time zone not null default now(),
  constraint failed_work_attempts CHECK ((attempts > 0)),
  constraint failed_work_error CHECK ((length(error) <= 300)),
  constraint failed_work_key PRIMARY KEY (table_name, item)
);

create table public.file_folder (
  id text not null,
  place text not null,
  seen_at timestamp with time zone not null default now(),
  constraint file_folder_pkey PRIMARY KEY (id)
);

create table public.game (
  code text not null,
  name text not null,
  category text not null,
  provider text not null,
  provider_game text,
  ft_wallet_slot integer not null,
  logo text not null default ''::text,
  background text not null default ''::text,
  web text,
  android text,
  ios text,
  is_hidden boolean not null default false,
  in_maintenance boolean not null default false,
  "position" integer not null default 0,
  names jsonb,
  closed_until timestamp with time zone,
  constraint game_category CHECK ((category = ANY (ARRAY['slot'::text, 'sport'::text, 'lotto'::text]))),
  constraint game_code CHECK (((code ~ '^[A-Za-z0-9]{1,32}$'::text) AND (code <> 'WALLET'::text))),
  constraint game_multiplier CHECK (((ft_wallet_slot >= 1) AND (ft_wallet_slot <= 1000000))),
  constraint game_pkey PRIMARY KEY (code),
  constraint game_provider_game CHECK ((provider_game ~ '^[A-Za-z0-9_-]{1,64}$'::text))
);

create table public.game_account (
  member_id uuid not null,
  game_code text not null,
  provider text not null,
  username text not null,
  password bytea not null,
  password_next bytea,
  password_reset_at timestamp with time zone,
  state text not null default 'OPENING'::text,
  create_calls integer not null default 0,
  asking_until timestamp with time zone,
  opened_at timestamp with time zone not null default now(),
  activated_at timestamp with time zone,
  reply_lost_at timestamp with time zone,
  busy_with text,
  version bigint not null default 0,
  is_stale boolean not null default false,
  refreshed_at timestamp with time zone,
  outstanding bigint not null default 0,
  turnover bigint,
  are_bets_known boolean not null default true,
  launched_at timestamp with time zone,
  last_top_up bigint,
  constraint game_account_active CHECK (((state = 'ACTIVE'::text) = (activated_at IS NOT NULL))),
  constraint game_account_game_exists FOREIGN KEY (game_code) REFERENCES game(code),
  constraint game_account_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint game_account_outstanding CHECK ((outstanding >= 0)),
  constraint game_account_pkey PRIMARY KEY (member_id, game_code),
  constraint game_account_state CHECK ((state = ANY (ARRAY['OPENING'::text, 'ACTIVE'::text]))),
  constraint game_account_turnover CHECK ((turnover >= 0)),
  constraint game_account_username CHECK ((username ~ '^[A-Za-z0-9]{1,16}$'::text))
);

create table public.game_favourite (
  member_id uuid not null,
  game_code text not null,
  created_at timestamp with time zone not null default now(),
  constraint game_favourite_game_exists FOREIGN KEY (game_code) REFERENCES game(code),
  constraint game_favourite_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint game_favourite_pkey PRIMARY KEY (member_id, game_code)
);

create table public.game_reveal (
  id bigint not null generated always as identity,
  member_id uuid not null,
  game_code text not null,
  username text not null,
  action text not null,
  request_id text not null,
  address text not null,
  at timestamp with time zone not null default now(),
  constraint game_reveal_account_exists FOREIGN KEY (member_id, game_code) REFERENCES game_account(member_id, game_code),
  constraint game_reveal_action CHECK ((action = ANY (ARRAY['activate'::text, 'account'::text, 'reset'::text, 'launch'::text]))),
  constraint game_reveal_pkey PRIMARY KEY (id)
);

create table public.health_probe (
  only_row boolean not null default true,
  written_at timestamp with time zone not null,
  constraint health_probe_only_row CHECK (only_row),
  constraint health_probe_pkey PRIMARY KEY (only_row)
);

create table public.incentive_condition (
  id uuid not null,
  member_id uuid not null,
  currency currency not null,
  kind text not null,
  state text not null default 'OPENING'::text,
  base bigint not null,
  own bigint not null,
  target bigint not null,
  floor bigint not null,
  percent_success numeric(8,2) not null,
  percent_fail numeric(8,2) not null,
  turnover_target bigint,
  turnover_before jsonb not null default '{}'::jsonb,
  play bigint not null default 0,
  turnover bigint not null default 0,
  started_at timestamp with time zone,
  expires_at timestamp with time zone,
  ended_at timestamp with time zone,
  ended_current bigint,
  takes_back bigint,
  clear_attempt integer not null default 0,
  is_told boolean not null default false,
  look_at timestamp with time zone not null default now(),
  outstanding_before bigint not null default 0,
  providers text not null default 'none'::text,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint incentive_condition_amounts CHECK (((base > 0) AND (own >= 0) AND (own <= base) AND (target >= 0) AND (floor >= 0) AND (floor < target))),
  constraint incentive_condition_counted CHECK (((turnover >= 0) AND (turnover_target > 0) AND (takes_back >= 0))),
  constraint incentive_condition_ended CHECK (((ended_at IS NOT NULL) = (state = ANY (ARRAY['SUCCESS'::text, 'FAILED'::text, 'CANCELLED'::text, 'EXPIRED'::text])))),
  constraint incentive_condition_grant_exists FOREIGN KEY (id) REFERENCES incentive_grant(id),
  constraint incentive_condition_kind CHECK ((kind = ANY (ARRAY['BONUS'::text, 'PROMOTION'::text, 'REFUND'::text, 'INVITE'::text, 'COUPON'::text]))),
  constraint incentive_condition_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint incentive_condition_outstanding CHECK ((outstanding_before >= 0)),
  constraint incentive_condition_pkey PRIMARY KEY (id),
  constraint incentive_condition_started CHECK (((started_at IS NOT NULL) OR (state = ANY (ARRAY['OPENING'::text, 'FAILED'::text])))),
  constraint incentive_condition_state CHECK ((state = ANY (ARRAY['OPENING'::text, 'ACTIVE'::text, 'CLEARING'::text, 'SUCCESS'::text, 'FAILED'::text, 'CANCELLED'::text, 'EXPIRED'::text])))
);

create table public.incentive_gate (
  member_id uuid not null,
  counted_entries jsonb not null default '{}'::jsonb,
  counted_turnover jsonb not null default '{}'::jsonb,
  version bigint not null default 0,
  constraint incentive_gate_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint incentive_gate_pkey PRIMARY KEY (member_id)
);

create table public.incentive_grant (
  id uuid not null,
  member_id uuid not null,
  currency currency not null,
  kind text not null,
  source text not null,
  name jsonb not null,
  reference text not null,
  amount bigint not null,
  state text not null default 'OPEN'::text,
  created_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  paid_at timestamp with time zone,
  leased_by integer,
  constraint incentive_grant_amount CHECK ((amount > 0)),
  constraint incentive_grant_kind CHECK ((kind = ANY (ARRAY['BONUS'::text, 'PROMOTION'::text, 'REFUND'::text, 'INVITE'::text, 'COUPON'::text]))),
  constraint incentive_grant_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint incentive_grant_once UNIQUE (member_id, source),
  constraint incentive_grant_paid CHECK (((state = 'PAID'::text) = (paid_at IS NOT NULL))),
  constraint incentive_grant_pkey PRIMARY KEY (id),
  constraint incentive_grant_reference UNIQUE (member_id, reference),
  constraint incentive_grant_state CHECK ((state = ANY (ARRAY['OPEN'::text, 'PAID'::text])))
);

create table public.invite (
  inviter_id uuid not null,
  member_id uuid not null,
  currency currency not null,
  created_at timestamp with time zone not null,
  has_deposit boolean not null default false,
  played bigint not null default 0,
  claimed bigint not null default 0,
  earned bigint not null default 0,
  looked_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint invite_inviter_exists FOREIGN KEY (inviter_id) REFERENCES member(id),
  constraint invite_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint invite_once UNIQUE (member_id),
  constraint invite_pkey PRIMARY KEY (inviter_id, member_id),
  constraint invite_played CHECK (((claimed >= 0) AND (played >= claimed) AND (earned >= 0))),
  constraint invite_self CHECK ((inviter_id <> member_id))
);

create table public.invite_blocked (
  member_id uuid not null,
  note text not null default ''::text,
  constraint invite_blocked_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint invite_blocked_pkey PRIMARY KEY (member_id)
);

create table public.invite_inviter (
  member_id uuid not null,
  currency currency not null,
  unclaimed bigint not null default 0,
  remainder bigint not null default 0,
  claims integer not null default 0,
  is_crediting boolean not null default false,
  looked_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint invite_inviter_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint invite_inviter_pkey PRIMARY KEY (member_id),
  constraint invite_inviter_unclaimed CHECK (((unclaimed >= 0) AND (remainder >= 0)))
);

create table public.invite_play (
  inviter_id uuid not null,
  member_id uuid not null,
  kind text not null,
  turnover bigint,
  losses bigint not null default 0,
  seq bigint not null default 0,
  constraint invite_play_invite_exists FOREIGN KEY (inviter_id, member_id) REFERENCES invite(inviter_id, member_id),
  constraint invite_play_pkey PRIMARY KEY (inviter_id, member_id, kind)
);

create table public.lookup_address_rule (
  network cidr not null,
  verdict text not null,
  note text not null default ''::text,
  constraint lookup_address_rule_pkey PRIMARY KEY (network),
  constraint lookup_address_rule_verdict CHECK ((verdict = ANY (ARRAY['allow'::text, 'deny'::text])))
);

create table public.lookup_bank (
  code text not null,
  number text,
  name_th text not null,
  name_en text not null,
  country text not null,
  digits_min integer not null,
  digits_max integer not null,
  "position" integer not null,
  is_enabled boolean not null default true,
  constraint lookup_bank_code CHECK ((code ~ '^[A-Z0-9]{2,16}$'::text)),
  constraint lookup_bank_country CHECK ((country = ANY (ARRAY['TH'::text, 'LA'::text]))),
  constraint lookup_bank_digits CHECK (((digits_min > 0) AND (digits_min <= digits_max) AND (digits_max <= 40))),
  constraint lookup_bank_number CHECK ((number ~ '^[0-9]{3}$'::text)),
  constraint lookup_bank_pkey PRIMARY KEY (code)
);

create table public.lookup_banner (
  kind text not null,
  "position" integer not null,
  image text not null default ''::text,
  th text not null,
  la text not null,
  en text not null,
  is_enabled boolean not null default true,
  constraint lookup_banner_kind CHECK ((kind = ANY (ARRAY['invite'::text, 'refund'::text]))),
  constraint lookup_banner_pkey PRIMARY KEY (kind, "position")
);

create table public.lookup_limit (
  name text not null,
  hits integer not null,
  window_seconds integer not null,
  constraint lookup_limit_pkey PRIMARY KEY (name),
  constraint lookup_limit_positive CHECK (((hits > 0) AND (window_seconds > 0)))
);

create table public.lookup_seeded (
  name text not null,
  at timestamp with time zone not null default now(),
  constraint lookup_seeded_pkey PRIMARY KEY (name)
);

create table public.lookup_setting (
  name text not null,
  value jsonb not null,
  constraint lookup_setting_pkey PRIMARY KEY (name)
);

create table public.lookup_source (
  code text not null,
  th text not null,
  la text not null,
  en text not null,
  "position" integer not null,
  is_enabled boolean not null default true,
  constraint lookup_source_code CHECK ((code ~ '^[A-Z0-9_]{1,32}$'::text)),
  constraint lookup_source_pkey PRIMARY KEY (code)
);

create table public.lookup_switch (
  name text not null,
  is_stopped boolean not null,
  reason text not null,
  by text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint lookup_switch_name CHECK ((name ~ '^[a-z.-]{1,40}(:[A-Za-z0-9_-]{1,64})?$'::text)),
  constraint lookup_switch_pkey PRIMARY KEY (name)
);

create table public.lookup_text (
  kind text not null,
  "position" integer not null,
  th text not null,
  la text not null,
  en text not null,
  constraint lookup_text_kind CHECK ((kind = ANY (ARRAY['condition'::text, 'agreement'::text]))),
  constraint lookup_text_pkey PRIMARY KEY (kind, "position")
);

create table public.lookup_version (
  only_row boolean not null default true,
  version uuid not null default gen_random_uuid(),
  constraint lookup_version_only_row CHECK (only_row),
  constraint lookup_version_pkey PRIMARY KEY (only_row)
);

create table public.member (
  id uuid not null,
  code text not null default new_member_code(),
  phone text not null,
  name text not null,
  password_hash text not null,
  currency currency not null,
  source_code text not null,
  invite_code text not null default ''::text,
  status text not null default 'active'::text,
  status_reason text not null default ''::text,
  created_at timestamp with time zone not null,
  constraint member_code CHECK ((code ~ '^[0-9A-HJKMNP-TV-Z]{8}$'::text)),
  constraint member_code_unique UNIQUE (code),
  constraint member_name CHECK (((name <> ''::text) AND (length(name) <= 60))),
  constraint member_phone CHECK ((phone ~ '^[0-9]{7,15}$'::text)),
  constraint member_phone_unique UNIQUE (phone),
  constraint member_pkey PRIMARY KEY (id),
  constraint member_status CHECK ((status = ANY (ARRAY['active'::text, 'inactive'::text, 'restricted'::text, 'deleted'::text])))
);

create table public.member_bank_account (
  member_id uuid not null,
  bank_code text not null,
  account_no text not null,
  account_name text not null,
  created_at timestamp with time zone not null,
  constraint member_bank_account_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint member_bank_account_name CHECK ((account_name <> ''::text)),
  constraint member_bank_account_no CHECK ((account_no ~ '^[0-9]{1,40}$'::text)),
  constraint member_bank_account_pkey PRIMARY KEY (member_id),
  constraint member_bank_account_unique UNIQUE (bank_code, account_no)
);

create table public.member_bank_account_blocked (
  bank_code text not null,
  account_no text not null,
  note text not null default ''::text,
  constraint member_bank_account_blocked_no CHECK ((account_no ~ '^[0-9]{1,40}$'::text)),
  constraint member_bank_account_blocked_pkey PRIMARY KEY (bank_code, account_no)
);

create table public.member_bank_account_rename (
  id bigint not null generated always as identity,
  member_id uuid not null,
  bank_code text not null,
  account_no text not null,
  name_before text not null,
  name_after text not null,
  bank_code_after text,
  account_no_after text,
  request_id text not null,
  address inet not null,
  at timestamp with time zone not null,
  constraint member_bank_account_rename_account CHECK (((bank_code_after IS NULL) = (account_no_after IS NULL))),
  constraint member_bank_account_rename_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint member_bank_account_rename_pkey PRIMARY KEY (id)
);

create table public.member_session (
  token_hash bytea not null,
  member_id uuid not null,
  address inet,
  remembered boolean not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  superseded_at timestamp with time zone,
  logged_out_at timestamp with time zone,
  language text,
  constraint member_session_language CHECK ((language = ANY (ARRAY['th'::text, 'la'::text, 'en'::text]))),
  constraint member_session_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint member_session_pkey PRIMARY KEY (token_hash),
  constraint member_session_token_hash CHECK ((length(token_hash) = 32))
);

create table public.member_setting (
  member_id uuid not null,
  brings_money_home boolean not null default false,
  constraint member_setting_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint member_setting_pkey PRIMARY KEY (member_id)
);

create table public.notification_cursor (
  lane smallint not null,
  batch bigint not null,
  constraint notification_cursor_pkey PRIMARY KEY (lane)
);

create table public.notification_item (
  id bigint not null generated always as identity,
  member_id uuid not null,
  kind text not null,
  reference text not null,
  at timestamp with time zone not null,
  facts jsonb not null,
  read_at timestamp with time zone,
  constraint notification_item_kind CHECK ((kind = ANY (ARRAY['money-in'::text, 'paid-out'::text, 'refused'::text, 'support'::text, 'security'::text]))),
  constraint notification_item_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint notification_item_once UNIQUE (member_id, kind, reference),
  constraint notification_item_pkey PRIMARY KEY (id)
);

create table public.notification_sms (
  id uuid not null default gen_random_uuid(),
  notice_id bigint not null,
  member_id uuid not null,
  phone text not null,
  subject text not null,
  language text,
  lane text not null generated always as (
CASE
    WHEN (phone ~ '^(20|030)'::text) THEN 'LA'::text
    ELSE 'TH'::text
END) stored,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  work_at timestamp with time zone,
  leased_by integer,
  leased_to timestamp with time zone,
  tries integer not null default 0,
  error text,
  sent_at timestamp with time zone,
  constraint notification_sms_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint notification_sms_notice_exists FOREIGN KEY (notice_id) REFERENCES notification_item(id) ON DELETE CASCADE,
  constraint notification_sms_once UNIQUE (notice_id),
  constraint notification_sms_pkey PRIMARY KEY (id),
  constraint notification_sms_sent_is_done CHECK (((sent_at IS NULL) OR (work_at IS NULL)))
);

create table public.operator_log (
  id bigint not null generated always as identity,
  at timestamp with time zone not null default clock_timestamp(),
  operator text not null,
  what text not null,
  subject text not null,
  reason text not null,
  constraint operator_log_operator CHECK ((operator ~ '^[A-Za-z0-9._-]{1,40}$'::text)),
  constraint operator_log_pkey PRIMARY KEY (id),
  constraint operator_log_reason CHECK (((length(reason) >= 5) AND (length(reason) <= 500))),
  constraint operator_log_words CHECK ((((length(what) >= 1) AND (length(what) <= 200)) AND ((length(subject) >= 1) AND (length(subject) <= 200))))
);

create table public.otp (
  token_hash bytea not null,
  phone text not null,
  ref text not null,
  code_hash bytea not null,
  state text not null,
  wrong_tries integer not null default 0,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint otp_code_hash CHECK ((length(code_hash) = 32)),
  constraint otp_phone_exists FOREIGN KEY (phone) REFERENCES otp_phone(phone),
  constraint otp_pkey PRIMARY KEY (token_hash),
  constraint otp_state CHECK ((state = ANY (ARRAY['sending'::text, 'live'::text, 'replaced'::text, 'consumed'::text, 'blocked'::text]))),
  constraint otp_token_hash CHECK ((length(token_hash) = 32)),
  constraint otp_wrong_tries CHECK (((wrong_tries >= 0) AND (wrong_tries <= 5)))
);

create table public.otp_known (
  kind text not null,
  name text not null,
  verified_at timestamp with time zone not null,
  constraint otp_known_kind CHECK ((kind = ANY (ARRAY['phone'::text, 'address'::text, 'device'::text]))),
  constraint otp_known_name CHECK ((name <> ''::text)),
  constraint otp_known_pkey PRIMARY KEY (kind, name)
);

create table public.otp_phone (
  phone text not null,
  verified_until timestamp with time zone,
  blocked_until timestamp with time zone,
  proved_from text,
  proved_with bytea,
  constraint otp_phone_pkey PRIMARY KEY (phone),
  constraint otp_phone_proved_with CHECK ((length(proved_with) = 32))
);

create table public.otp_phone_network (
  phone text not null,
  network cidr not null,
  known_at timestamp with time zone not null,
  constraint otp_phone_network_pkey PRIMARY KEY (phone, network)
);

create table public.program_instance (
  id integer not null,
  started_at timestamp with time zone not null default now(),
  constraint program_instance_pkey PRIMARY KEY (id)
);

create table public.push_outbox (
  id uuid not null default gen_random_uuid(),
  notice_id bigint not null,
  subscription_id uuid not null,
  work_at timestamp with time zone not null,
  tries integer not null default 0,
  expires_at timestamp with time zone not null,
  lane text not null default 'none'::text,
  leased_by integer,
  leased_to timestamp with time zone,
  is_last boolean not null default false,
  constraint push_outbox_notice_exists FOREIGN KEY (notice_id) REFERENCES notification_item(id) ON DELETE CASCADE,
  constraint push_outbox_once UNIQUE (notice_id, subscription_id),
  constraint push_outbox_pkey PRIMARY KEY (id),
  constraint push_outbox_subscription_exists FOREIGN KEY (subscription_id) REFERENCES push_subscription(id) ON DELETE CASCADE
);

create table public.push_subscription (
  id uuid not null,
  member_id uuid not null,
  session_hash bytea not null,
  endpoint text not null,
  p256dh bytea not null,
  auth bytea not null,
  language text not null,
  kinds text[] not null,
  with_amounts boolean not null,
  created_at timestamp with time zone not null,
  is_silent boolean not null default false,
  constraint push_subscription_endpoint UNIQUE (endpoint),
  constraint push_subscription_keys CHECK (((length(p256dh) = 65) AND (length(auth) = 16))),
  constraint push_subscription_language CHECK ((language = ANY (ARRAY['th'::text, 'la'::text, 'en'::text]))),
  constraint push_subscription_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint push_subscription_pkey PRIMARY KEY (id),
  constraint push_subscription_session UNIQUE (session_hash),
  constraint push_subscription_session_exists FOREIGN KEY (session_hash) REFERENCES member_session(token_hash) ON DELETE CASCADE
);

create table public.qrcode (
  id uuid not null,
  member_id uuid not null,
  gateway text not null,
  reference text not null,
  currency currency not null,
  amount bigint not null,
  pay_amount bigint,
  state text not null,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  reason text,
  gateway_reference text,
  payload text,
  expires_at timestamp with time zone,
  paid_amount bigint,
  paid_at timestamp with time zone,
  transaction_number text,
  payer jsonb,
  inquire_at timestamp with time zone,
  wakes integer not null default 0,
  inquiries integer not null default 0,
  silences integer not null default 0,
  misses integer not null default 0,
  asked_at timestamp with time zone,
  bonus_code text,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint qrcode_amount CHECK (((amount > 0) AND (paid_amount > 0))),
  constraint qrcode_ended CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['CREATING'::text, 'PENDING'::text])))),
  constraint qrcode_paid CHECK ((((state = 'PAID'::text) = (transaction_number IS NOT NULL)) AND ((state = 'PAID'::text) = (paid_amount IS NOT NULL)) AND ((state = 'PAID'::text) = (paid_at IS NOT NULL)))),
  constraint qrcode_pay_amount CHECK ((((payload IS NULL) OR (pay_amount IS NOT NULL)) AND (pay_amount > 0) AND (abs((pay_amount - amount)) < 100))),
  constraint qrcode_pkey PRIMARY KEY (id),
  constraint qrcode_reference UNIQUE (gateway, reference),
  constraint qrcode_shown CHECK (((state <> ALL (ARRAY['PENDING'::text, 'CANCELLED'::text, 'EXPIRED'::text])) OR ((payload IS NOT NULL) AND (expires_at IS NOT NULL)))),
  constraint qrcode_state CHECK ((state = ANY (ARRAY['CREATING'::text, 'PENDING'::text, 'PAID'::text, 'CANCELLED'::text, 'EXPIRED'::text, 'FAILED'::text]))),
  constraint qrcode_transaction UNIQUE (gateway, transaction_number)
) with (fillfactor=80);

create table public.qrcode_request (
  member_id uuid not null,
  key text not null,
  request_hash bytea not null,
  qrcode_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint qrcode_request_key PRIMARY KEY (member_id, key),
  constraint qrcode_request_qrcode_exists FOREIGN KEY (qrcode_id) REFERENCES qrcode(id)
);

create unlogged table public.rate_limit (
  key text not null,
  window_start timestamp with time zone not null,
  hits integer not null,
  constraint rate_limit_hits CHECK ((hits > 0)),
  constraint rate_limit_pkey PRIMARY KEY (key)
) with (fillfactor=70);

create table public.refund (
  member_id uuid not null,
  period_from timestamp with time zone not null,
  period_to timestamp with time zone not null,
  currency currency not null,
  paid_in bigint not null,
  lost bigint not null,
  percent numeric(8,2) not null,
  amount bigint not null,
  source text not null,
  created_at timestamp with time zone not null,
  constraint refund_amount CHECK (((amount > 0) AND (amount <= paid_in) AND (amount <= lost))),
  constraint refund_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint refund_period CHECK ((period_from < period_to)),
  constraint refund_pkey PRIMARY KEY (member_id, period_from)
);

create table public.schema_migration (
  number integer not null,
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  oldest_program integer,
  constraint schema_migration_pkey PRIMARY KEY (number)
);

create table public.slip (
  id uuid not null,
  member_id uuid not null,
  reference text not null,
  currency currency not null,
  state text not null,
  reason text,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  upload_key text,
  picture_key text,
  folder_id text,
  sending_bank text,
  trans_ref text,
  amount bigint,
  paid_at timestamp with time zone,
  evidence jsonb,
  verdict text,
  decided_by text,
  work_at timestamp with time zone default now(),
  tries integer not null default 0,
  refusals integer not null default 0,
  bonus_code text,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint slip_amount CHECK ((amount > 0)),
  constraint slip_credited CHECK (((state <> 'CREDITED'::text) OR ((amount IS NOT NULL) AND (paid_at IS NOT NULL)))),
  constraint slip_decided CHECK (((decided_by IS NULL) OR (state = ANY (ARRAY['MANUAL'::text, 'CREDITED'::text, 'FAILED'::text])))),
  constraint slip_ended CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['RECEIVED'::text, 'READ'::text, 'MANUAL'::text])))),
  constraint slip_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint slip_pkey PRIMARY KEY (id),
  constraint slip_read CHECK (((state <> ALL (ARRAY['READ'::text, 'CREDITED'::text])) OR ((sending_bank IS NOT NULL) AND (trans_ref IS NOT NULL)))),
  constraint slip_reason CHECK (((reason IS NULL) = (state = ANY (ARRAY['RECEIVED'::text, 'READ'::text, 'CREDITED'::text])))),
  constraint slip_reference UNIQUE (reference),
  constraint slip_state CHECK ((state = ANY (ARRAY['RECEIVED'::text, 'READ'::text, 'MANUAL'::text, 'CREDITED'::text, 'FAILED'::text])))
) with (fillfactor=80);

create table public.slip_file (
  key text not null,
  created_at timestamp with time zone not null default now(),
  constraint slip_file_pkey PRIMARY KEY (key)
);

create table public.spinwheel_coin_movement (
  id bigint not null generated always as identity,
  member_id uuid not null,
  source text not null,
  coins integer not null,
  coins_after integer not null,
  created_at timestamp with time zone not null default now(),
  constraint spinwheel_coin_movement_amounts CHECK (((coins <> 0) AND (coins_after >= 0))),
  constraint spinwheel_coin_movement_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint spinwheel_coin_movement_once UNIQUE (member_id, source),
  constraint spinwheel_coin_movement_pkey PRIMARY KEY (id)
);

create table public.spinwheel_coupon (
  id uuid not null,
  member_id uuid not null,
  version integer not null,
  slice_code text not null,
  kind text not null,
  amount bigint not null,
  state text not null default 'OPEN'::text,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint spinwheel_coupon_amount CHECK ((amount > 0)),
  constraint spinwheel_coupon_kind CHECK ((kind = ANY (ARRAY['MONEY'::text, 'COINS'::text, 'BONUS'::text, 'GOODS'::text]))),
  constraint spinwheel_coupon_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint spinwheel_coupon_pkey PRIMARY KEY (id),
  constraint spinwheel_coupon_spin_exists FOREIGN KEY (id) REFERENCES spinwheel_spin(id),
  constraint spinwheel_coupon_state CHECK (((state = ANY (ARRAY['OPEN'::text, 'CLAIMED'::text, 'EXPIRED'::text])) AND ((state = 'OPEN'::text) = (ended_at IS NULL)))),
  constraint spinwheel_coupon_version_exists FOREIGN KEY (version) REFERENCES spinwheel_version(version)
);

create table public.spinwheel_purse (
  member_id uuid not null,
  coins integer not null default 0,
  deposits_seen bigint not null default 0,
  paid_in bigint not null default 0,
  owed bigint not null default 0,
  constraint spinwheel_purse_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint spinwheel_purse_money CHECK (((paid_in >= 0) AND (owed >= 0))),
  constraint spinwheel_purse_not_below_zero CHECK ((coins >= 0)),
  constraint spinwheel_purse_pkey PRIMARY KEY (member_id)
);

create table public.spinwheel_seed (
  id uuid not null,
  member_id uuid not null,
  state text not null,
  commitment text not null,
  sealed_seed bytea,
  revealed_seed text,
  client_seed text not null,
  nonce integer not null default 0,
  created_at timestamp with time zone not null default now(),
  constraint spinwheel_seed_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint spinwheel_seed_nonce CHECK (((nonce >= 0) AND ((nonce = 0) OR (state <> 'NEXT'::text)))),
  constraint spinwheel_seed_pkey PRIMARY KEY (id),
  constraint spinwheel_seed_secret CHECK ((((state = 'REVEALED'::text) = (sealed_seed IS NULL)) AND ((state = 'REVEALED'::text) = (revealed_seed IS NOT NULL)))),
  constraint spinwheel_seed_state CHECK ((state = ANY (ARRAY['NEXT'::text, 'CURRENT'::text, 'REVEALED'::text])))
);

create table public.spinwheel_spin (
  id uuid not null,
  member_id uuid not null,
  idempotency_key text,
  seed_id uuid not null,
  nonce integer not null,
  version integer not null,
  slice integer not null,
  slice_code text not null,
  coins_after integer not null,
  created_at timestamp with time zone not null,
  constraint spinwheel_spin_key UNIQUE (member_id, idempotency_key),
  constraint spinwheel_spin_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint spinwheel_spin_number UNIQUE (seed_id, nonce),
  constraint spinwheel_spin_pkey PRIMARY KEY (id),
  constraint spinwheel_spin_seed_exists FOREIGN KEY (seed_id) REFERENCES spinwheel_seed(id),
  constraint spinwheel_spin_version_exists FOREIGN KEY (version) REFERENCES spinwheel_version(version)
);

create table public.spinwheel_version (
  version integer not null,
  name jsonb not null,
  slices jsonb not null,
  weights_hash text not null,
  is_active boolean not null default true,
  published_at timestamp with time zone not null default now(),
  constraint spinwheel_version_number CHECK ((version > 0)),
  constraint spinwheel_version_pkey PRIMARY KEY (version)
);

create table public.statement_export (
  id uuid not null,
  member_id uuid not null,
  idempotency_key text,
  request_hash bytea not null,
  input jsonb not null,
  state text not null default 'RUNNING'::text,
  lines integer,
  content bytea,
  tries integer not null default 0,
  created_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  work_at timestamp with time zone default now(),
  reason text,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint statement_export_content CHECK ((((state = 'DONE'::text) = (content IS NOT NULL)) AND ((state = 'DONE'::text) = (lines IS NOT NULL)))),
  constraint statement_export_ended CHECK ((((state = 'RUNNING'::text) = (ended_at IS NULL)) AND ((state = 'RUNNING'::text) = (work_at IS NOT NULL)))),
  constraint statement_export_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint statement_export_pkey PRIMARY KEY (id),
  constraint statement_export_reason CHECK (((reason IS NULL) OR (state = 'FAILED'::text))),
  constraint statement_export_request_key UNIQUE (member_id, idempotency_key),
  constraint statement_export_state CHECK ((state = ANY (ARRAY['RUNNING'::text, 'DONE'::text, 'FAILED'::text])))
);

create table public.statement_export_part (
  export_id uuid not null,
  part integer not null,
  lines integer not null,
  content bytea not null,
  constraint statement_export_part_number CHECK ((part >= 2)),
  constraint statement_export_part_of FOREIGN KEY (export_id) REFERENCES statement_export(id) ON DELETE CASCADE,
  constraint statement_export_part_pkey PRIMARY KEY (export_id, part)
);

create table public.transfer (
  id uuid not null,
  member_id uuid not null,
  currency currency not null,
  idempotency_key text not null,
  input_hash bytea not null,
  source text not null,
  target text not null,
  amount bigint not null,
  reference text not null,
  created_at timestamp with time zone not null default now(),
  constraint transfer_amount CHECK ((amount > 0)),
  constraint transfer_ends CHECK ((source <> target)),
  constraint transfer_once UNIQUE (member_id, idempotency_key),
  constraint transfer_pkey PRIMARY KEY (id),
  constraint transfer_reference UNIQUE (reference)
);

create table public.transfer_leg (
  transfer_id uuid not null,
  leg smallint not null,
  member_id uuid not null,
  game_code text not null,
  ft_wallet_slot integer not null,
  direction text not null,
  amount bigint not null,
  credits bigint not null,
  provider text not null,
  username text not null,
  provider_reference text not null,
  state text not null,
  proof text,
  proof_by text,
  proof_balance bigint,
  balance_before bigint,
  turnover_before bigint,
  balance_seen bigint,
  turnover_seen bigint,
  code text,
  detail text,
  absences integer not null default 0,
  asks integer not null default 0,
  is_silent boolean not null default false,
  is_asked_again boolean not null default false,
  next_ask_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  fence integer not null default 1,
  sent_at timestamp with time zone,
  finished_at timestamp with time zone,
  note text,
  leased_by integer,
  constraint transfer_leg_account_exists FOREIGN KEY (member_id, game_code) REFERENCES game_account(member_id, game_code),
  constraint transfer_leg_amount CHECK (((amount > 0) AND (credits = (amount * ft_wallet_slot)))),
  constraint transfer_leg_code CHECK ((((state = 'REVERSED'::text) = (code IS NOT NULL)) OR (proof = 'REFUSED'::text))),
  constraint transfer_leg_direction CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text]))),
  constraint transfer_leg_finished CHECK (((finished_at IS NOT NULL) = (state = ANY (ARRAY['DONE'::text, 'REVERSED'::text])))),
  constraint transfer_leg_number CHECK ((leg = ANY (ARRAY[1, 2]))),
  constraint transfer_leg_pkey PRIMARY KEY (transfer_id, leg),
  constraint transfer_leg_proof CHECK ((proof = ANY (ARRAY['APPLIED'::text, 'REFUSED'::text]))),
  constraint transfer_leg_proof_by CHECK (((proof_by IS NULL) OR (proof IS NOT NULL))),
  constraint transfer_leg_provider_reference UNIQUE (provider_reference),
  constraint transfer_leg_sent CHECK (((sent_at IS NOT NULL) OR (state = ANY (ARRAY['QUEUED'::text, 'REVERSED'::text])))),
  constraint transfer_leg_state CHECK ((state = ANY (ARRAY['QUEUED'::text, 'SENT'::text, 'UNKNOWN'::text, 'MANUAL'::text, 'DONE'::text, 'REVERSED'::text]))),
  constraint transfer_leg_transfer_exists FOREIGN KEY (transfer_id) REFERENCES transfer(id)
);

create table public.truelink_gift (
  id uuid not null,
  hash_sha256 bytea not null,
  sealed_hash bytea,
  member_id uuid not null,
  reference text not null,
  receiver text not null,
  state text not null default 'NEW'::text,
  code text,
  detail text,
  amount bigint,
  voucher_id text,
  created_at timestamp with time zone not null default now(),
  redeemed_at timestamp with time zone,
  ended_at timestamp with time zone,
  asks integer not null default 0,
  absences integer not null default 0,
  work_at timestamp with time zone,
  bonus_code text,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint truelink_gift_amount CHECK ((((state = 'CREDITED'::text) = (amount IS NOT NULL)) AND (amount > 0))),
  constraint truelink_gift_ended CHECK (((state = ANY (ARRAY['CREDITED'::text, 'FAILED'::text])) = (ended_at IS NOT NULL))),
  constraint truelink_gift_failed CHECK (((state = 'FAILED'::text) = (code IS NOT NULL))),
  constraint truelink_gift_hash UNIQUE (hash_sha256),
  constraint truelink_gift_hash_length CHECK ((length(hash_sha256) = 32)),
  constraint truelink_gift_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint truelink_gift_pkey PRIMARY KEY (id),
  constraint truelink_gift_reference UNIQUE (reference),
  constraint truelink_gift_sealed CHECK (((sealed_hash IS NOT NULL) OR (state = ANY (ARRAY['CREDITED'::text, 'FAILED'::text])))),
  constraint truelink_gift_state CHECK ((state = ANY (ARRAY['NEW'::text, 'REDEEMING'::text, 'UNKNOWN'::text, 'CREDITED'::text, 'FAILED'::text, 'MANUAL'::text])))
) with (fillfactor=80);

create table public.wallet_suspension (
  member_id uuid not null,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint wallet_suspension_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint wallet_suspension_pkey PRIMARY KEY (member_id)
);

create table public.withdraw (
  id uuid not null,
  member_id uuid not null,
  currency currency not null,
  idempotency_key text not null,
  input_hash bytea not null,
  is_all boolean not null,
  amount bigint not null,
  reference text not null,
  bank_code text not null,
  account_no text not null,
  account_name text not null,
  paid_from text not null,
  state text not null default 'HELD'::text,
  is_held boolean not null default false,
  not_brought jsonb,
  refusal_code text,
  refusal_detail text,
  proof text,
  proof_by text,
  trans_ref text,
  reason text,
  note text,
  attempts integer not null default 0,
  absences integer not null default 0,
  asks integer not null default 0,
  is_woken boolean not null default false,
  next_ask_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  fence integer not null default 1,
  created_at timestamp with time zone not null default now(),
  first_sent_at timestamp with time zone,
  sent_at timestamp with time zone,
  finished_at timestamp with time zone,
  leased_by integer,
  providers text not null default 'none'::text,
  constraint withdraw_amount CHECK ((amount > 0)),
  constraint withdraw_finished CHECK (((finished_at IS NOT NULL) = (state = ANY (ARRAY['PAID'::text, 'FAILED'::text])))),
  constraint withdraw_held CHECK ((is_held OR (state = ANY (ARRAY['HELD'::text, 'FAILED'::text])))),
  constraint withdraw_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint withdraw_once UNIQUE (member_id, idempotency_key),
  constraint withdraw_outcome CHECK (((state <> ALL (ARRAY['PAID'::text, 'FAILED'::text])) OR (NOT is_held) OR (proof = state))),
  constraint withdraw_pkey PRIMARY KEY (id),
  constraint withdraw_proof CHECK ((((proof = ANY (ARRAY['PAID'::text, 'FAILED'::text])) AND (proof_by IS NOT NULL)) OR (proof IS NULL))),
  constraint withdraw_reference UNIQUE (reference),
  constraint withdraw_refusal CHECK (((refusal_code IS NOT NULL) = ((state = 'FAILED'::text) AND (NOT is_held)))),
  constraint withdraw_sent CHECK (((sent_at IS NOT NULL) OR (state = ANY (ARRAY['HELD'::text, 'FAILED'::text])))),
  constraint withdraw_state CHECK ((state = ANY (ARRAY['HELD'::text, 'SENT'::text, 'ACCEPTED'::text, 'UNKNOWN'::text, 'MANUAL'::text, 'PAID'::text, 'FAILED'::text])))
);

CREATE INDEX batch_of_lane ON ledger.batch USING btree (lane, id);

CREATE INDEX operation_open ON ledger.operation USING btree (debit, id) WHERE (state = 'pending'::ledger.operation_state);

CREATE INDEX bonus_receipt_of_member ON public.bonus_receipt USING btree (member_id, code, seq DESC);

CREATE INDEX bonus_receipt_of_offer ON public.bonus_receipt USING btree (code);

CREATE INDEX chat_conversation_empty ON public.chat_conversation USING btree (created_at) WHERE (last_sequence = 0);

CREATE INDEX chat_conversation_leased ON public.chat_conversation USING btree (leased_by) WHERE (leased_to = tell_at);

CREATE INDEX chat_conversation_tell ON public.chat_conversation USING btree (tell_at) WHERE (tell_at IS NOT NULL);

CREATE INDEX chat_conversation_waiting ON public.chat_conversation USING btree (waiting_since) WHERE (waiting_since IS NOT NULL);

CREATE INDEX chat_file_conversation ON public.chat_file USING btree (conversation_id, created_at);

CREATE INDEX chat_file_unused ON public.chat_file USING btree (created_at) WHERE (used_at IS NULL);

CREATE UNIQUE INDEX chat_message_answer_once ON public.chat_message USING btree (answer_id) WHERE (answer_id IS NOT NULL);

CREATE INDEX chat_message_answers ON public.chat_message USING btree (conversation_id, sequence) WHERE (sender = 'other'::text);

CREATE UNIQUE INDEX chat_message_once ON public.chat_message USING btree (conversation_id, client_id) WHERE (client_id <> ''::text);

CREATE INDEX chat_visitor_silent ON public.chat_visitor USING btree (seen_at) WHERE (NOT has_written);

CREATE UNIQUE INDEX config_version_published ON public.config_version USING btree (subject) WHERE (state = 'PUBLISHED'::text);

CREATE INDEX deposit_arrival_leased ON public.deposit_arrival USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX deposit_arrival_member ON public.deposit_arrival USING btree (member_id, claimed_at) WHERE (member_id IS NOT NULL);

CREATE INDEX deposit_arrival_suspense ON public.deposit_arrival USING btree (suspended_at) WHERE (state = 'SUSPENSE'::text);

CREATE INDEX deposit_arrival_work ON public.deposit_arrival USING btree (work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX deposit_bonus_due ON public.deposit_bonus USING btree (providers, work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX deposit_bonus_leased ON public.deposit_bonus USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX deposit_feed_leased ON public.deposit_feed USING btree (leased_by) WHERE (leased_to = poll_at);

CREATE INDEX deposit_notice_amount_sought ON public.deposit_notice USING btree (pay_amount) WHERE (state <> 'MATCHED'::text);

CREATE INDEX deposit_notice_member ON public.deposit_notice USING btree (member_id, created_at);

CREATE INDEX deposit_notice_open ON public.deposit_notice USING btree (expires_at) WHERE (state = 'OPEN'::text);

CREATE INDEX deposit_notice_pending ON public.deposit_notice USING btree (member_id) WHERE (state = 'OPEN'::text);

CREATE INDEX deposit_parked_open ON public.deposit_parked USING btree (first_at) WHERE (settled_at IS NULL);

CREATE INDEX deposit_reserved_amount_due ON public.deposit_reserved_amount USING btree (release_at);

CREATE INDEX deposit_reserved_amount_notice ON public.deposit_reserved_amount USING btree (notice_id);

CREATE INDEX deposit_unreadable_line_open ON public.deposit_unreadable_line USING btree (seen_at) WHERE (settled_at IS NULL);

CREATE INDEX game_account_launched ON public.game_account USING btree (launched_at) WHERE (launched_at IS NOT NULL);

CREATE UNIQUE INDEX game_account_unique_username ON public.game_account USING btree (provider, lower(username));

CREATE INDEX game_reveal_member ON public.game_reveal USING btree (member_id, at);

CREATE INDEX incentive_condition_due ON public.incentive_condition USING btree ((
CASE
    WHEN (state = 'ACTIVE'::text) THEN providers
    ELSE 'ending'::text
END), look_at) WHERE ((NOT is_told) AND (state <> 'OPENING'::text));

CREATE INDEX incentive_condition_leased ON public.incentive_condition USING btree (leased_by) WHERE (leased_to = look_at);

CREATE UNIQUE INDEX incentive_condition_one_bonus ON public.incentive_condition USING btree (member_id) WHERE ((kind = ANY (ARRAY['BONUS'::text, 'PROMOTION'::text])) AND (state = ANY (ARRAY['OPENING'::text, 'ACTIVE'::text, 'CLEARING'::text])));

CREATE INDEX incentive_condition_open ON public.incentive_condition USING btree (member_id) WHERE (state = ANY (ARRAY['OPENING'::text, 'ACTIVE'::text, 'CLEARING'::text]));

CREATE INDEX incentive_grant_leased ON public.incentive_grant USING btree (leased_by) WHERE ((state = 'OPEN'::text) AND (leased_by IS NOT NULL));

CREATE INDEX incentive_grant_of_member ON public.incentive_grant USING btree (member_id, kind, created_at);

CREATE INDEX incentive_grant_open ON public.incentive_grant USING btree (leased_until) WHERE (state = 'OPEN'::text);

CREATE INDEX invite_looked_at ON public.invite USING btree (inviter_id, looked_at);

CREATE INDEX invite_newest ON public.invite USING btree (inviter_id, created_at);

CREATE INDEX member_bank_account_rename_member ON public.member_bank_account_rename USING btree (member_id, at);

CREATE INDEX member_session_expires_at ON public.member_session USING btree (expires_at);

CREATE INDEX member_session_member_address ON public.member_session USING btree (member_id, address);

CREATE INDEX notification_item_at ON public.notification_item USING btree (at);

CREATE INDEX notification_item_member ON public.notification_item USING btree (member_id, id);

CREATE INDEX notification_item_unread ON public.notification_item USING btree (member_id, id) WHERE (read_at IS NULL);

CREATE INDEX notification_sms_leased ON public.notification_sms USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX notification_sms_member ON public.notification_sms USING btree (member_id, subject, created_at);

CREATE INDEX notification_sms_sent ON public.notification_sms USING btree (sent_at) WHERE (sent_at IS NOT NULL);

CREATE INDEX notification_sms_work ON public.notification_sms USING btree (lane, work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX operator_log_subject ON public.operator_log USING btree (subject, id);

CREATE INDEX otp_created_at ON public.otp USING btree (created_at);

CREATE INDEX otp_known_verified_at ON public.otp_known USING btree (verified_at);

CREATE UNIQUE INDEX otp_live ON public.otp USING btree (phone) WHERE (state = 'live'::text);

CREATE INDEX otp_phone_created_at ON public.otp USING btree (phone, created_at);

CREATE INDEX otp_phone_network_known_at ON public.otp_phone_network USING btree (known_at);

CREATE INDEX push_outbox_leased ON public.push_outbox USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX push_outbox_subscription ON public.push_outbox USING btree (subscription_id);

CREATE INDEX push_outbox_work ON public.push_outbox USING btree (lane, work_at);

CREATE INDEX push_subscription_member ON public.push_subscription USING btree (member_id);

CREATE INDEX qrcode_by_reference ON public.qrcode USING btree (reference);

CREATE INDEX qrcode_due ON public.qrcode USING btree (gateway, inquire_at) WHERE (inquire_at IS NOT NULL);

CREATE INDEX qrcode_leased ON public.qrcode USING btree (leased_by) WHERE (leased_to = inquire_at);

CREATE UNIQUE INDEX qrcode_live ON public.qrcode USING btree (member_id, gateway) WHERE (state = ANY (ARRAY['CREATING'::text, 'PENDING'::text]));

CREATE INDEX qrcode_member ON public.qrcode USING btree (member_id, gateway, created_at);

CREATE INDEX rate_limit_window_start ON public.rate_limit USING btree (window_start);

CREATE UNIQUE INDEX slip_credited_once ON public.slip USING btree (sending_bank, trans_ref) WHERE (state = 'CREDITED'::text);

CREATE INDEX slip_due ON public.slip USING btree (state, work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX slip_leased ON public.slip USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX slip_manual ON public.slip USING btree (created_at) WHERE (state = 'MANUAL'::text);

CREATE INDEX slip_member ON public.slip USING btree (member_id, created_at DESC, id DESC);

CREATE INDEX slip_pending ON public.slip USING btree (member_id) WHERE (state = ANY (ARRAY['RECEIVED'::text, 'READ'::text, 'MANUAL'::text]));

CREATE UNIQUE INDEX slip_picture ON public.slip USING btree (picture_key) WHERE (picture_key IS NOT NULL);

CREATE INDEX slip_transfer ON public.slip USING btree (sending_bank, trans_ref) WHERE (trans_ref IS NOT NULL);

CREATE UNIQUE INDEX slip_upload ON public.slip USING btree (upload_key) WHERE (upload_key IS NOT NULL);

CREATE INDEX spinwheel_coupon_open ON public.spinwheel_coupon USING btree (member_id, id) WHERE (state = 'OPEN'::text);

CREATE UNIQUE INDEX spinwheel_seed_one_of_each ON public.spinwheel_seed USING btree (member_id, state) WHERE (state <> 'REVEALED'::text);

CREATE INDEX spinwheel_spin_of_member ON public.spinwheel_spin USING btree (member_id, id);

CREATE INDEX statement_export_created ON public.statement_export USING btree (created_at);

CREATE INDEX statement_export_leased ON public.statement_export USING btree (leased_by) WHERE (leased_to = work_at);

CREATE UNIQUE INDEX statement_export_running ON public.statement_export USING btree (member_id) WHERE (state = 'RUNNING'::text);

CREATE INDEX statement_export_work ON public.statement_export USING btree (work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX transfer_leg_due ON public.transfer_leg USING btree ((
CASE
    WHEN (proof IS NULL) THEN provider
    ELSE 'proven'::text
END), next_ask_at) WHERE ((state = ANY (ARRAY['SENT'::text, 'UNKNOWN'::text])) OR ((state = 'MANUAL'::text) AND ((proof IS NOT NULL) OR is_asked_again)));

CREATE INDEX transfer_leg_leased ON public.transfer_leg USING btree (leased_by) WHERE ((state <> ALL (ARRAY['DONE'::text, 'REVERSED'::text])) AND (leased_by IS NOT NULL));

CREATE INDEX transfer_leg_open ON public.transfer_leg USING btree (next_ask_at) WHERE (state <> ALL (ARRAY['DONE'::text, 'REVERSED'::text]));

CREATE UNIQUE INDEX transfer_leg_under_way ON public.transfer_leg USING btree (member_id, game_code) WHERE (state <> ALL (ARRAY['DONE'::text, 'REVERSED'::text]));

CREATE INDEX truelink_gift_leased ON public.truelink_gift USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX truelink_gift_manual ON public.truelink_gift USING btree (created_at) WHERE (state = 'MANUAL'::text);

CREATE INDEX truelink_gift_member ON public.truelink_gift USING btree (member_id, created_at);

CREATE INDEX truelink_gift_pending ON public.truelink_gift USING btree (member_id) WHERE (state <> ALL (ARRAY['CREDITED'::text, 'FAILED'::text]));

CREATE UNIQUE INDEX truelink_gift_redeeming ON public.truelink_gift USING btree (receiver) WHERE (state = 'REDEEMING'::text);

CREATE INDEX truelink_gift_work ON public.truelink_gift USING btree (work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX withdraw_due ON public.withdraw USING btree ((
CASE
    WHEN (proof IS NOT NULL) THEN 'proven'::text
    WHEN is_held THEN 'bank'::text
    ELSE providers
END), next_ask_at) WHERE ((state <> ALL (ARRAY['PAID'::text, 'FAILED'::text])) AND ((state <> 'MANUAL'::text) OR (proof IS NOT NULL) OR is_woken));

CREATE INDEX withdraw_leased ON public.withdraw USING btree (leased_by) WHERE ((state <> ALL (ARRAY['PAID'::text, 'FAILED'::text])) AND (leased_by IS NOT NULL));

CREATE INDEX withdraw_of_member ON public.withdraw USING btree (member_id, created_at);

CREATE UNIQUE INDEX withdraw_one_pending ON public.withdraw USING btree (member_id) WHERE (state <> ALL (ARRAY['PAID'::text, 'FAILED'::text]));

CREATE OR REPLACE FUNCTION commands.arrival_credit(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_member constant uuid := p_row ->> 'member';
  v_arrival deposit_arrival;
  v_notice uuid;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_arrival.member_id <> v_member or v_arrival.state = 'GATEWAY' then return 'assigned_elsewhere';
    when v_arrival.state = 'CREDITED' then return 'replayed';
    when v_arrival.state <> p_row ->> 'from' then return 'stale_read';
    else
  end case;
  -- The member's oldest notice of this amount, or one that had reserved it when the money was sent: an operator may assign a transfer
  -- days later. Some banks state whole minutes. The job releases the amount.
  select n.id into v_notice from deposit_notice n
   where n.pay_amount = v_arrival.amount and n.currency = v_arrival.currency and n.house in ('', v_arrival.house)
     and (n.release_at > now() or v_arrival.sent_at between n.created_at - interval '2 minutes' and n.release_at)
     and n.member_id = v_member and n.state <> 'MATCHED'
     and not exists (select from deposit_notice m where m.arrival_id = v_arrival.id and m.state = 'MATCHED')
   order by n.release_at <= now(), n.state <> 'OPEN', n.created_at limit 1;
  if found then
    perform from deposit_notice n where n.id = v_notice and n.state <> 'MATCHED' for no key update skip locked;
    if not found then return 'row_locked'; end if;
    update deposit_notice set state = 'MATCHED', is_late = expires_at <= now(), arrival_id = v_arrival.id,
           ended_at = coalesce(ended_at, now())
     where id = v_notice;
    insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
    select p_row ->> 'key', n.member_id, n.currency, n.bonus_code, n.reference
      from deposit_notice n where n.id = v_notice and n.bonus_code is not null
    on conflict do nothing;
    -- The job may be deleting the row: then it is locked and left to the job.
    update deposit_reserved_amount r set release_at = now()
      from (select a.look, a.pay_amount from deposit_reserved_amount a where a.notice_id = v_notice for no key update skip locked) l
     where r.look = l.look and r.pay_amount = l.pay_amount;
  end if;
  update deposit_arrival set state = 'CREDITED', member_id = v_member, debit_house = p_row ->> 'debit', via = p_row ->> 'via',
         note = coalesce(note, p_row ->> 'note'), claimed_at = coalesce(claimed_at, now()), credited_at = now(), work_at = null
   where id = v_arrival.id;
  return 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.arrival_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_credit_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.deposit_refused(p_rows)
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_suspense(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_arrival deposit_arrival;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_arrival.state = 'SUSPENSE' then return 'replayed';
    when v_arrival.state <> 'NEW' or v_arrival.member_id is not null then return 'already_decided';
    else
  end case;
  update deposit_arrival set state = 'SUSPENSE', reason = p_row ->> 'reason', suspended_at = now(), work_at = null,
         candidates = array(select jsonb_array_elements_text(p_row -> 'candidates'))::uuid[]
   where id = v_arrival.id;
  return 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_suspense_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.arrival_suspense(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_suspense_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.deposit_refused(p_rows)
$function$
;

CREATE OR REPLACE FUNCTION commands.deposit_refused(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'commands: the ledger refused the deposit %', p_rows -> 0 ->> 'id';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.game_refresh_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select r.i, a.version = r.version and a.busy_with is null as is_current
      from (select n.*, t.i from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_record(t.row) n(member uuid, game text, version bigint)
             order by n.member, n.game) r,
           lateral (select a.version, a.busy_with from game_account a where a.member_id = r.member and a.game_code = r.game
                       for no key update skip locked) a
  loop
    v_outcomes[v_row.i] := case when v_row.is_current then 'applied' else 'stale_read' end;
  end loop;
  update game_account a set is_stale = false, are_bets_known = true, version = a.version + 1, refreshed_at = now(),
         outstanding = n.outstanding, turnover = n.turnover
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(member uuid, game text, outstanding bigint, turnover bigint)
   where v_outcomes[t.i] = 'applied' and a.member_id = n.member and a.game_code = n.game;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.game_refresh_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update game_account a set is_stale = true
    from jsonb_to_recordset(p_rows) n(member uuid, game text) where a.member_id = n.member and a.game_code = n.game;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.gift_credit(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_gift truelink_gift;
begin
  select * into v_gift from truelink_gift where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_gift.state = 'CREDITED' then
      return case when v_gift.amount = (p_row ->> 'amount')::bigint then 'replayed' else 'amount_conflict' end;
    when not (p_row -> 'from') ? v_gift.state then return 'not_creditable';
    else
  end case;
  update truelink_gift set state = 'CREDITED', amount = (p_row ->> 'amount')::bigint, voucher_id = p_row ->> 'voucher',
         ended_at = now(), sealed_hash = null, work_at = null
   where id = v_gift.id;
  if v_gift.bonus_code is not null then
    insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
    values (p_row ->> 'key', v_gift.member_id, 'BAHT', v_gift.bonus_code, v_gift.reference)
    on conflict do nothing;
  end if;
  return 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.gift_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.gift_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$function$
;

CREATE OR REPLACE FUNCTION commands.gift_credit_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.deposit_refused(p_rows)
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_clear_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.state, c.clear_attempt = t.attempt as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, attempt int) order by n.id) t,
           lateral (select l.state, l.clear_attempt from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    -- ACTIVE: an earlier call of this attempt was refused.
    v_outcomes[v_row.i] := case when not v_row.is_own then 'lease_lost' when v_row.state = 'CLEARING' then 'applied'
      when v_row.state = 'ACTIVE' then 'insufficient_funds' else 'replayed' end;
  end loop;
  update incentive_condition c set state = n."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, "to" text)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_clear_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_condition c set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_end_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.is_told, c.ended_at from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                                                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.is_told, l.ended_at from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    v_outcomes[v_row.i] := case when v_row.is_told then 'replayed' when v_row.ended_at is null then 'not_ended' else 'applied' end;
  end loop;
  update incentive_condition c set is_told = true
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_end_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_condition c set is_told = false
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_pay_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, g.state,
           exists (select from incentive_condition c where c.id = t.id)
             and not exists (select from incentive_condition c where c.id = t.id for no key update skip locked) as is_locked
      from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.state from incentive_grant l where l.id = t.id for no key update skip locked) g
  loop
    v_outcomes[v_row.i] := case when v_row.state <> 'OPEN' then 'replayed' when v_row.is_locked then 'row_locked' else 'applied' end;
  end loop;
  update incentive_grant g set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and g.id = n.id;
  update incentive_condition c
     set state = 'ACTIVE', started_at = clock_timestamp(), look_at = clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, lease_ms int)
   where v_outcomes[t.i] = 'applied' and c.id = n.id and c.state = 'OPENING';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_pay_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_grant g set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where g.id = n.id;
  update incentive_condition c set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.offer_count_receipt(p_code text, p_currency text, p_amount bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_offer record;
begin
  select o.quota is not null as has_quota, coalesce(o.given < o.quota, true) as is_left, o.is_on into v_offer
    from bonus_offer o where o.code = p_code;
  if not v_offer.is_on then return 'stale_read'; end if;
  if v_offer.has_quota then
    select coalesce(o.given < o.quota, true) as is_left into v_offer from bonus_offer o where o.code = p_code for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
  end if;
  select a.budget is not null as has_budget into v_offer from bonus_offer_amount a where a.code = p_code and a.currency = p_currency::currency;
  if v_offer.has_budget then
    select coalesce(a.given + p_amount <= a.budget, true) as is_left into v_offer
      from bonus_offer_amount a where a.code = p_code and a.currency = p_currency::currency for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
    update bonus_offer_amount a set given = a.given + p_amount where a.code = p_code and a.currency = p_currency::currency;
  end if;
  update bonus_offer o set given = o.given + 1 where o.code = p_code and o.quota is not null;
  return 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.offer_receive_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t.gate, t.games, t.code, t.currency, t.amount, g.version as gate_version,
           exists (select from incentive_grant k where k.id = t.id) as is_applied,
           exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as is_withdrawing,
           games.are_same, games.are_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, gate bigint, games jsonb, code text, currency text, amount bigint)
             order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
           cross join lateral (
             select coalesce(jsonb_object_agg(a.game_code, a.version::text), '{}') = t.games as are_same,
                    count(*) < (select count(*) from game_account c where c.member_id = t.member and c.state = 'ACTIVE') as are_locked
               from (select b.game_code, b.version from game_account b where b.member_id = t.member and b.state = 'ACTIVE'
                        for share skip locked) a) games
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_applied then 'replayed'
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.gate_version is null or v_row.are_locked then 'row_locked'
      when v_row.gate_version <> v_row.gate or not v_row.are_same or v_row.is_withdrawing then 'stale_read'
      else commands.offer_count_receipt(v_row.code, v_row.currency, v_row.amount) end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into bonus_receipt (id, member_id, code, currency, amount, deposit_operation, received_at)
  select n.id, n.member, n.code, n.currency, n.amount, n.deposit, n.at
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, code text, currency text, amount bigint, deposit bigint, at timestamptz)
   where v_outcomes[t.i] = 'applied';
  insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, state, created_at, paid_at, leased_until)
  select n.id, n.member, n.currency, n.kind, n.source, n.name, n.reference, n.amount, 'PAID', n.at, clock_timestamp(), clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, kind text, source text, name jsonb, reference text,
                                  amount bigint, at timestamptz)
   where v_outcomes[t.i] = 'applied';
  insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success, percent_fail,
                                   turnover_target, turnover_before, expires_at, started_at, look_at)
  select n.id, n.member, n.currency, n.kind, 'ACTIVE', n.base, n.own, n.target, n.floor, n.percent_success, n.percent_fail,
         n.turnover_target, n.turnover_before, n.expires_at, n.at, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, kind text, base bigint, own bigint, target bigint, floor bigint,
                                  percent_success numeric, percent_fail numeric, turnover_target bigint, turnover_before jsonb,
                                  expires_at timestamptz, at timestamptz, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.offer_receive_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'commands: the ledger refused the credit of an offer (%)', p_verdicts;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.qrcode_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
  -- Reasons of parked payments that a credit settles.
  v_settled constant text[] := array['ON_HOLD', 'TRANSACTION_NUMBER', 'FAILED'];
begin
  for v_row in
    select t.i, q.state, q.transaction_number = t.number and q.paid_amount = t.amount as is_same,
           exists (select from qrcode o
                    where o.gateway = t.gateway and o.transaction_number = t.number and o.id <> t.id) as is_used,
           (select count(*) from (select from deposit_parked p
                                   where p.gateway = t.gateway and p.reference = t.reference and p.reason = any(v_settled)
                                     for no key update skip locked) p)
             < (select count(*) from deposit_parked p
                 where p.gateway = t.gateway and p.reference = t.reference and p.reason = any(v_settled)) as is_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, gateway text, reference text, number text, amount bigint)
             order by n.id) t,
           lateral (select q.state, q.transaction_number, q.paid_amount from qrcode q where q.id = t.id
                       for no key update skip locked) q
  loop
    v_outcomes[v_row.i] := case
      when v_row.state = 'PAID' then case when v_row.is_same then 'replayed' else 'other_payment' end
      when v_row.is_used then 'payment_used'
      when v_row.is_locked then 'row_locked'
      else 'applied' end;
  end loop;
  -- An inquiry that was requested during this one stays due.
  with paid as (
    update qrcode q
       set state = 'PAID', ended_at = coalesce(q.ended_at, now()), paid_amount = n.amount, paid_at = n.paid_at,
           transaction_number = n.number, payer = n.payer, inquiries = q.inquiries + 1, silences = 0, misses = 0,
           wakes = q.wakes + n.callbacks, inquire_at = case when q.wakes > n.wakes then now() end
      from jsonb_array_elements(p_rows) with ordinality t(row, i),
           jsonb_to_record(t.row) n(id uuid, key text, amount bigint, paid_at timestamptz, number text, payer jsonb, callbacks int, wakes int)
     where v_outcomes[t.i] = 'applied' and q.id = n.id
    returning n.key, q.member_id, q.currency, q.bonus_code, q.reference)
  insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
  select p.key, p.member_id, p.currency, p.bonus_code, p.reference from paid p where p.bonus_code is not null
  on conflict do nothing;
  update deposit_parked p set settled_at = now(), settled_by = null
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(gateway text, reference text)
   where v_outcomes[t.i] = 'applied' and p.gateway = n.gateway and p.reference = n.reference and p.reason = any(v_settled)
     and (p.settled_at is null or p.settled_by is not null);
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.qrcode_credit_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'commands: the ledger refused the credit of code %', p_rows -> 0 ->> 'reference';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.qrcode_open(p_id uuid, p_member uuid, p_gateway text, p_reference text, p_currency currency, p_amount bigint, p_inquire_ms double precision, p_key text, p_hash bytea, p_inquired uuid, p_window_ms double precision, p_max integer, p_bonus text, OUT outcome text, OUT code qrcode)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from qrcode_request r where r.member_id = p_member and r.key = p_key) then
    outcome := 'key_taken';
    return;
  end if;
  update qrcode q set state = 'EXPIRED', ended_at = q.expires_at
   where q.member_id = p_member and q.gateway = p_gateway and q.state = 'PENDING' and q.expires_at <= now();
  select q.* into code from qrcode q
   where q.member_id = p_member and q.gateway = p_gateway and q.state in ('CREATING', 'PENDING');
  if found then
    outcome := case when code.state = 'PENDING' and code.id is distinct from p_inquired then 'inquiry_needed'
      when code.amount <> p_amount then 'amount_differs' else 'reused' end;
    if outcome = 'reused' and code.bonus_code is distinct from p_bonus then
      -- A concurrent credit keeps the choice that it has read.
      update qrcode q set bonus_code = p_bonus where q.id = code.id and q.state in ('CREATING', 'PENDING') returning q.* into code;
      if not found then
        raise exception 'the code was paid concurrently' using constraint = 'qrcode_live', errcode = 'unique_violation';
      end if;
    end if;
  elsif (select count(*) from qrcode q where q.member_id = p_member and q.gateway = p_gateway
          and q.created_at > now() - p_window_ms * interval '1 ms') >= p_max then
    outcome := 'too_many';
  else
    outcome := 'created';
    insert into qrcode as q (id, member_id, gateway, reference, currency, amount, state, inquire_at, bonus_code)
    values (p_id, p_member, p_gateway, p_reference, p_currency, p_amount, 'CREATING', now() + p_inquire_ms * interval '1 ms', p_bonus)
    returning q.* into code;
  end if;
  if p_key is not null and outcome in ('created', 'reused') then
    insert into qrcode_request (member_id, key, request_hash, qrcode_id) values (p_member, p_key, p_hash, code.id);
  end if;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_cancel_second_leg(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_leg record;
begin
  update transfer_leg l set state = 'REVERSED', code = 'TRANSFER_FAIL', detail = 'RESTS_IN_WALLET', finished_at = clock_timestamp()
    from transfer t where l.transfer_id = p_id and l.leg = 2 and l.state = 'QUEUED' and t.id = l.transfer_id
  returning l.member_id, l.game_code, t.reference into v_leg;
  if found then perform commands.transfer_release_account(v_leg.member_id, v_leg.game_code, v_leg.reference); end if;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_close_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  for v_row in
    select t.i, l.state, l.fence = t.fence and l.state = t.from as is_own, l.state = t.to as is_same,
           t.second is not null as has_second,
           (select n.state from transfer_leg n where n.transfer_id = t.id and n.leg = 2) as second,
           -- The accounts of both legs.
           (select count(*) from (select from game_account a where a.member_id = t.member and a.game_code = any(t.games)
                                   order by a.game_code for no key update skip locked) a) < cardinality(t.games) as is_locked
      from (select c.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) c(id uuid, leg int, fence int, "from" text, "to" text, member uuid, games text[],
                                            second jsonb)
             order by c.id, c.leg) t,
           lateral (select l.state, l.fence from transfer_leg l where l.transfer_id = t.id and l.leg = t.leg
                       for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_own and v_row.is_locked then 'row_locked'
      when v_row.is_own then 'applied'
      when v_row.state not in ('DONE', 'REVERSED') then 'lease_lost'
      when not v_row.is_same then 'closed_differently'
      when v_row.has_second and v_row.second is distinct from 'SENT' then 'replayed_second_leg_refused'
      else 'replayed' end;
  end loop;

  update transfer_leg l
     set state = c.to, proof = c.proof, proof_by = c.by, proof_balance = c.balance, finished_at = v_now,
         code = coalesce(l.code, c.code), detail = coalesce(l.detail, c.detail)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(id uuid, leg int, "to" text, proof text, by text, balance bigint, code text, detail text)
   where v_outcomes[t.i] = 'applied' and l.transfer_id = c.id and l.leg = c.leg;
  -- One statement for all rows. An account occurs once: it is reserved for one transfer.
  update game_account a
     set busy_with = null, version = a.version + 1, is_stale = a.is_stale and not c.is_balance_final,
         refreshed_at = case when c.is_balance_final then now() else a.refreshed_at end,
         last_top_up = coalesce(c.top_up, a.last_top_up)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(member uuid, game text, reference text, is_balance_final boolean, top_up bigint)
   where v_outcomes[t.i] = 'applied' and a.member_id = c.member and a.game_code = c.game and a.busy_with = c.reference;

  -- From game to game: the second leg starts, or is cancelled.
  if p_rows @? '$[*] ? (@.has_second_leg == true)' then
    update transfer_leg l
       set state = 'SENT', sent_at = v_now, balance_before = s.before, turnover_before = s.turnover,
           leased_until = v_now + s.lease_ms * interval '1 ms'
      from jsonb_array_elements(p_rows) with ordinality t(row, i),
           jsonb_to_record(t.row -> 'second') s(before bigint, turnover bigint, lease_ms int)
     where v_outcomes[t.i] = 'applied' and t.row -> 'second' <> 'null'::jsonb and l.transfer_id = (t.row ->> 'id')::uuid
       and l.leg = 2 and l.state = 'QUEUED';
    perform commands.transfer_cancel_second_leg((t.row ->> 'id')::uuid)
       from jsonb_array_elements(p_rows) with ordinality t(row, i)
      where v_outcomes[t.i] = 'applied' and (t.row ->> 'has_second_leg')::boolean;
  end if;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_close_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
declare
  v_outcomes text[] := '{}'; v_row jsonb; v_verdicts text[]; v_i int := 0; v_outcome text;
begin
  for v_row in select * from jsonb_array_elements(p_rows) loop
    v_i := v_i + 1; v_verdicts := string_to_array(p_verdicts[v_i], ','); v_outcome := 'applied';
    for v_k in 1..cardinality(v_verdicts) loop
      continue when v_verdicts[v_k] = 'applied';
      case v_row -> 'purposes' ->> (v_k - 1)
        when 'follow_balance' then
          -- The ledger account cannot take the reported balance, which is no longer current.
          update game_account a set is_stale = true where a.member_id = (v_row ->> 'member')::uuid and a.game_code = v_row ->> 'game';
        when 'hold_second' then
          update transfer_leg l set state = 'QUEUED', sent_at = null where l.transfer_id = (v_row ->> 'id')::uuid and l.leg = 2;
          perform commands.transfer_cancel_second_leg((v_row ->> 'id')::uuid);
          v_outcome := 'second_leg_refused';
        else
          raise exception 'commands: the ledger refused the money of leg % of transfer %', v_row ->> 'leg', v_row ->> 'id';
      end case;
    end loop;
    v_outcomes := v_outcomes || v_outcome;
  end loop;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_open_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  -- Known keys. The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.is_own, l.state
      from (select r.* from jsonb_array_elements(p_rows) with ordinality r(row, i) order by r.row ->> 'member', r.row ->> 'key') t,
           lateral (select k.id, k.id = (t.row ->> 'id')::uuid as is_own from transfer k
                     where k.member_id = (t.row ->> 'member')::uuid and k.idempotency_key = t.row ->> 'key' for no key update) known
           left join transfer_leg l on l.transfer_id = known.id and l.leg = 1
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.state = 'REVERSED' then 'replayed_refused'
      else 'replayed' end;
  end loop;
  for v_row in
    select t.i from jsonb_array_elements(p_rows) with ordinality t(row, i)
     where v_outcomes[t.i] = 'applied' and exists (select from wallet_suspension s where s.member_id = (t.row ->> 'member')::uuid)
  loop
    v_outcomes[v_row.i] := 'wallet_suspended';
  end loop;

  -- Game accounts, in one order for all callers.
  for v_row in
    select w.i, a.game_code is null as is_locked, a.busy_with is not null as is_busy, w.version <> a.version as is_stale
      from (select t.i, (t.row ->> 'member')::uuid as member, g.game, g.version
              from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_recordset(t.row -> 'legs') g(game text, version bigint)
             where v_outcomes[t.i] = 'applied' order by member, g.game) w
           left join lateral (select a.game_code, a.busy_with, a.version from game_account a
                               where a.member_id = w.member and a.game_code = w.game and a.state = 'ACTIVE'
                                 for no key update skip locked) a on true
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_locked or v_outcomes[v_row.i] = 'row_locked' then 'row_locked'
      when v_row.is_busy or v_outcomes[v_row.i] = 'account_busy' then 'account_busy'
      when v_row.is_stale then 'stale_read'
      else v_outcomes[v_row.i] end;
  end loop;

  update game_account a set busy_with = t.row ->> 'reference', are_bets_known = false, version = a.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_recordset(t.row -> 'legs') g(game text)
   where v_outcomes[t.i] = 'applied' and a.member_id = (t.row ->> 'member')::uuid and a.game_code = g.game;

  insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.source, n.target, n.amount, n.reference
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, source text, target text,
                                  amount bigint, reference text)
   where v_outcomes[t.i] = 'applied';

  -- The caller sends the first leg right after the commit. The second waits until the first is closed.
  insert into transfer_leg (transfer_id, leg, member_id, game_code, ft_wallet_slot, direction, amount, credits, provider,
                            username, provider_reference, state, sent_at, balance_before, turnover_before, leased_until)
  select n.id, g.leg, n.member, g.game, g.slot, g.direction, n.amount, g.credits, g.provider, g.username, g.reference,
         case g.leg when 1 then 'SENT' else 'QUEUED' end, case g.leg when 1 then v_now end, g.before, g.turnover,
         v_now + g.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, member uuid, amount bigint),
         jsonb_to_recordset(t.row -> 'legs') g(leg int, game text, slot int, direction text, credits bigint, provider text,
                                               username text, reference text, before bigint, turnover bigint, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_open_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update transfer_leg l set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) r where l.transfer_id = (r ->> 'id')::uuid;
  perform commands.transfer_release_account((r ->> 'member')::uuid, g.game, r ->> 'reference')
     from jsonb_array_elements(p_rows) r, jsonb_to_recordset(r -> 'legs') g(game text);
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_release_account(p_member uuid, p_game text, p_reference text)
 RETURNS void
 LANGUAGE sql
AS $function$
  update game_account a set busy_with = null, version = a.version + 1
   where a.member_id = p_member and a.game_code = p_game and a.busy_with = p_reference;
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_close_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t."to", l.state, l.fence = t.fence and l.state = t."from" as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int, "from" text, "to" text) order by n.id) t,
           lateral (select w.state, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' when v_row.state = v_row."to" then 'replayed'
      when v_row.state in ('PAID', 'FAILED') then 'closed_differently' else 'lease_lost' end;
  end loop;
  update withdraw w
     set state = n."to", proof = n."to", proof_by = n.by, finished_at = clock_timestamp(),
         -- The bank's result overrides an operator's decision: a paid withdrawal has no reason for a failure.
         reason = case n."to" when 'FAILED' then coalesce(n.reason, w.reason) end, note = coalesce(n.note, w.note), trans_ref = coalesce(n.trans_ref, w.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_close_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update withdraw w set state = n."from", finished_at = null
    from jsonb_to_recordset(p_rows) n(id uuid, "from" text) where w.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_hold_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, l.state = 'HELD' and not l.is_held and l.fence = t.fence as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int) order by n.id) t,
           lateral (select w.state, w.is_held, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' else 'lease_lost' end;
  end loop;
  update withdraw w set is_held = true, not_brought = n.not_brought, asks = 0, next_ask_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, not_brought jsonb)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_hold_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.withdraw_open_refused(p_rows, p_verdicts)
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_open_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  -- The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.id = t.id as is_own, known.refusal_code is not null as is_refused,
           not exists (select from withdraw l where l.id = known.id for no key update skip locked) as is_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, key text) order by n.member, n.key) t,
           lateral (select k.id, k.refusal_code from withdraw k
                     where k.member_id = t.member and k.idempotency_key = t.key) known
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.is_locked then 'row_locked'
      when v_row.is_refused then 'replayed_refused' else 'replayed' end;
  end loop;

  for v_row in
    select t.i, g.version, t.gate, exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as has_open
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(member uuid, gate bigint) order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
     where v_outcomes[t.i] = 'applied'
  loop
    v_outcomes[v_row.i] := case when v_row.is_suspended then 'wallet_suspended' when v_row.version is null then 'row_locked'
      when v_row.has_open then 'withdrawal_open' when v_row.version <> v_row.gate then 'stale_conditions' else 'applied' end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
                        account_name, paid_from, is_held, leased_until)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.is_all, n.amount, n.reference, n.bank_code, n.account_no,
         n.account_name, n.paid_from, not n.is_all, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, is_all boolean, amount bigint,
                                  reference text, bank_code text, account_no text, account_name text, paid_from text, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_open_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update withdraw w set state = 'FAILED', is_held = false, refusal_code = n.code, refusal_detail = n.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) n(id uuid, code text, detail text) where w.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.batch_text(p_lane smallint, p_batch bigint, p_at timestamp with time zone, p_operations text, p_entries text)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select convert_to(
    concat_ws(E'\x1f', p_lane, p_batch, to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'))
    || E'\n' || coalesce(p_operations, '') || E'\n' || coalesce(p_entries, ''), 'UTF8')
$function$
;

CREATE OR REPLACE FUNCTION ledger.entry_line(e ledger.entry)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select concat_ws(E'\x1f', (e).account_id, (e).seq, (e).operation_id, (e).amount, (e).balance, (e).held)
$function$
;

CREATE OR REPLACE FUNCTION ledger.operation_line(o ledger.operation)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select concat_ws(E'\x1f', (o).id, (o).idempotency_key, (o).request_hash, (o).debit, (o).credit, (o).amount, (o).pending,
    (o).type, case when (o).type = 'hold' and (o).state <> 'rejected' then 'pending' else (o).state end, (o).kind,
    (o).reference, (o).actor, (o).reason)
$function$
;

CREATE OR REPLACE FUNCTION ledger.post_batch(p_lane smallint, p_member text[], p_account_kind text[], p_currency text[], p_key uuid[], p_hash uuid[], p_type ledger.operation_type[], p_debit integer[], p_credit integer[], p_amount bigint[], p_slot integer[], p_last integer[], p_kind text[], p_reference text[], p_actor text[], p_slot_key uuid[], OUT batch_id text, OUT previous_batch text, OUT at text, OUT ids text, OUT outcomes text, OUT states text, OUT reasons text, OUT amounts text, OUT debit_posted text, OUT debit_held text, OUT credit_posted text, OUT credit_held text)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_variable
declare
  v_n constant int := cardinality(p_key);
  v_accounts constant int := cardinality(p_member);
  v_slots constant int := cardinality(p_slot_key);
  v_previous bytea;
  v_batch bigint;
  v_at timestamptz;
  v_now timestamptz;
  -- accounts, by index
  a_id bigint[]; a_posted bigint[]; a_held bigint[]; a_floor bigint[]; a_bounded boolean[]; a_seq bigint[];
  a_resolved bigint[];
  -- known keys, by index of the operation
  v_any_known boolean := false;
  k_id bigint[]; k_hash uuid[]; k_state ledger.operation_state[]; k_reason text[]; k_amount bigint[]; k_credit bigint[];
  -- holds, by slot
  s_id bigint[]; s_state ledger.operation_state[]; s_amount bigint[]; s_debit bigint[]; s_credit text[]; s_place int[];
  s_moved boolean[];
  -- operations to write, by index; r_write marks them
  r_id bigint[]; r_write boolean[]; r_state ledger.operation_state[]; r_reason text[]; r_amount bigint[];
  r_debit bigint[]; r_credit bigint[]; r_pending bigint[]; r_outcome text[];
  r_signed bigint[]; r_dp bigint[]; r_dh bigint[]; r_cp bigint[]; r_ch bigint[];
  -- entries to write
  e_place int[] := '{}'; e_account bigint[] := '{}'; e_seq bigint[] := '{}'; e_operation bigint[] := '{}';
  e_amount bigint[] := '{}'; e_balance bigint[] := '{}'; e_held bigint[] := '{}'; e_delta bigint[] := '{}';
  v_e int := 0; v_e_group int;
  v_i int := 1; v_k int; v_end int; v_known int; v_failed int; v_written int := 0;
  v_clash boolean; v_reason text; v_type ledger.operation_type;
  d int; c int; s int; v_amount bigint; v_delta bigint; v_swap boolean;
  v_row record;
begin
  -- 1. The lane's head, then all accounts in the order of ids: two calls never deadlock.
  for v_try in 1..3 loop
    select l.hash, l.last_batch into v_previous, previous_batch from ledger.lane l where l.id = p_lane for no key update;
    exit when found;
    insert into ledger.lane (id) values (p_lane) on conflict do nothing;
  end loop;
  for v_try in 1..3 loop
    select array_agg(o.id), array_agg(o.posted), array_agg(o.held), array_agg(o.floor), array_agg(o.bounded),
           array_agg(o.seq), array_agg(o.resolved), max(o.at)
      into a_id, a_posted, a_held, a_floor, a_bounded, a_seq, a_resolved, v_at
      from (select locked.* from (
        select t.i, a.id, a.posted, a.held, a.floor, a.bounded, a.seq, a.resolved, a.at
          from unnest(p_member, p_account_kind, p_currency) with ordinality t(member_id, kind, currency, i)
          join ledger.account a on a.member_id = t.member_id and a.kind = t.kind and a.currency = t.currency
           and a.stripe = case when t.member_id = '' then p_lane else 0 end
         order by a.id
           for no key update of a) locked
       order by locked.i) o;
    exit when cardinality(a_id) = v_accounts;
    -- Accounts open on first use: one without a row has never moved.
    insert into ledger.account (member_id, kind, currency, stripe, bounded)
    select t.member_id, t.kind, t.currency, case when t.member_id = '' then p_lane else 0 end, t.member_id <> ''
      from unnest(p_member, p_account_kind, p_currency) t(member_id, kind, currency)
    on conflict do nothing;
  end loop;
  if cardinality(a_id) is distinct from v_accounts then
    raise exception 'ledger: % accounts named, % found', v_accounts, cardinality(a_id);
  end if;
  -- Read after the locks, and never earlier than an entry of any of these accounts, even if the clock steps back.
  v_now := clock_timestamp();
  if v_now > v_at then v_at := v_now; end if;

  -- 2. Known keys. The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  k_id := array_fill(null::bigint, array[v_n]);
  for v_row in
    select t.i, o.id, o.request_hash, o.state, o.reason, o.amount, o.credit
      from unnest(p_key) with ordinality t(key, i)
      join ledger.operation o on o.idempotency_key = t.key
     order by o.id
       for no key update of o
  loop
    v_any_known := true;
    k_id[v_row.i] := v_row.id; k_hash[v_row.i] := v_row.request_hash; k_state[v_row.i] := v_row.state;
    k_reason[v_row.i] := v_row.reason; k_amount[v_row.i] := v_row.amount; k_credit[v_row.i] := v_row.credit;
  end loop;

  -- 3. Holds to resolve. Their debit account is locked, so that no other call resolves them concurrently.
  if v_slots > 0 then
    s_state := array_fill(null::ledger.operation_state, array[v_slots]);
    s_id := array_fill(null::bigint, array[v_slots]);
    s_place := array_fill(0, array[v_slots]);
    s_moved := array_fill(false, array[v_slots]);
    for v_row in
      select t.i, o.id, o.state, o.amount, o.debit, a.member_id || '/' || a.kind as credit
        from unnest(p_slot_key) with ordinality t(key, i)
        join ledger.operation o on o.idempotency_key = t.key and o.type = 'hold'
        join ledger.account a on a.id = o.credit
    loop
      s_id[v_row.i] := v_row.id; s_state[v_row.i] := v_row.state; s_amount[v_row.i] := v_row.amount;
      s_debit[v_row.i] := v_row.debit; s_credit[v_row.i] := v_row.credit;
    end loop;
  end if;

  -- 4. One operation after another; each sees the effect of the earlier ones.
  v_batch := nextval('ledger.batch_id');
  -- Filled: an array starts at the first assigned index, and unnest would shift it.
  r_write := array_fill(false, array[v_n]);
  r_debit := array_fill(null::bigint, array[v_n]);
  r_credit := r_debit;
  r_amount := r_debit;
  r_id := array_fill(null::bigint, array[v_n]);
  r_reason := array_fill(null::text, array[v_n]);
  r_pending := array_fill(null::bigint, array[v_n]);
  while v_i <= v_n loop
    v_end := p_last[v_i];

    -- Replay: the first result again. A group of which only some keys are known is a conflict.
    if v_any_known then
      v_known := 0; v_clash := false;
      for v_k in v_i..v_end loop
        if k_id[v_k] is not null then
          v_known := v_known + 1;
          if k_hash[v_k] <> p_hash[v_k] then v_clash := true; end if;
        end if;
      end loop;
      if v_known > 0 then
        v_clash := v_clash or v_known <= v_end - v_i;
        for v_k in v_i..v_end loop
          d := p_debit[v_k]; c := p_credit[v_k];
          r_id[v_k] := k_id[v_k];
          r_state[v_k] := k_state[v_k];
          r_reason[v_k] := case when v_clash then 'key_reused' else k_reason[v_k] end;
          r_outcome[v_k] := case when v_clash then 'C' when k_state[v_k] = 'rejected' then 'R' else 'A' end;
          r_signed[v_k] := case when v_clash then 0
            when p_type[v_k] = 'adjust' and k_credit[v_k] <> a_id[c] then -k_amount[v_k] else k_amount[v_k] end;
          r_dp[v_k] := a_posted[d]; r_dh[v_k] := a_held[d]; r_cp[v_k] := a_posted[c]; r_ch[v_k] := a_held[c];
        end loop;
        v_i := v_end + 1;
        continue;
      end if;
    end if;

    v_e_group := v_e; v_failed := 0; v_reason := null;
    for v_k in v_i..v_end loop
      v_type := p_type[v_k]; d := p_debit[v_k]; c := p_credit[v_k]; s := p_slot[v_k]; v_amount := p_amount[v_k];
      v_swap := false;
      r_state[v_k] := 'applied';
      if v_type = 'transfer' then
        if a_bounded[d] and a_posted[d] - a_held[d] - v_amount < a_floor[d] then v_reason := 'insufficient'; end if;
        v_delta := 0;
      elsif v_type = 'hold' then
        if a_bounded[d] and a_posted[d] - a_held[d] - v_amount < a_floor[d] then v_reason := 'insufficient'; end if;
        v_delta := v_amount;
        r_state[v_k] := 'pending';
      elsif v_type = 'adjust' then
        -- v_amount is the target balance of the credit account. A lower target moves money the other way.
        v_amount := v_amount - a_posted[c];
        if v_amount < 0 then
          v_swap := true;
          v_amount := -v_amount;
          if a_bounded[c] and a_posted[c] - a_held[c] - v_amount < a_floor[c] then v_reason := 'insufficient'; end if;
        end if;
        v_delta := 0;
      elsif v_type = 'mark' then
        v_amount := 0;
        v_delta := 0;
      else
        if s_state[s] is null then v_reason := 'not_found';
        elsif s_state[s] <> 'pending' then v_reason := 'not_pending';
        elsif s_debit[s] <> a_id[d] or s_credit[s] <> p_member[c] || '/' || p_account_kind[c]
              or (v_amount > 0 and v_amount <> s_amount[s]) then v_reason := 'mismatch';
        else
          v_amount := s_amount[s];
          r_pending[v_k] := case when s_place[s] > 0 then v_batch * 1024 + s_place[s] else s_id[s] end;
        end if;
        v_delta := -v_amount;
      end if;
      r_amount[v_k] := v_amount;
      r_signed[v_k] := case when v_swap then -v_amount else v_amount end;
      r_debit[v_k] := a_id[case when v_swap then c else d end];
      r_credit[v_k] := a_id[case when v_swap then d else c end];
      if v_reason is not null then v_failed := v_k; exit; end if;

      -- The member account of a hold, post, void or mark is always the debit account.
      if v_type = 'hold' or v_type = 'void' or v_type = 'mark' then
        a_held[d] := a_held[d] + v_delta; a_seq[d] := a_seq[d] + 1;
        v_e := v_e + 1;
        e_place[v_e] := d; e_account[v_e] := a_id[d]; e_seq[v_e] := a_seq[d]; e_operation[v_e] := v_batch * 1024 + v_k;
        e_amount[v_e] := 0; e_balance[v_e] := a_posted[d]; e_held[v_e] := a_held[d]; e_delta[v_e] := v_delta;
      elsif v_amount <> 0 then
        if v_swap then s := d; d := c; c := s; s := 0; end if;
        a_posted[d] := a_posted[d] - v_amount; a_held[d] := a_held[d] + v_delta; a_seq[d] := a_seq[d] + 1;
        v_e := v_e + 1;
        e_place[v_e] := d; e_account[v_e] := a_id[d]; e_seq[v_e] := a_seq[d]; e_operation[v_e] := v_batch * 1024 + v_k;
        e_amount[v_e] := -v_amount; e_balance[v_e] := a_posted[d]; e_held[v_e] := a_held[d]; e_delta[v_e] := v_delta;
        a_posted[c] := a_posted[c] + v_amount; a_seq[c] := a_seq[c] + 1;
        v_e := v_e + 1;
        e_place[v_e] := c; e_account[v_e] := a_id[c]; e_seq[v_e] := a_seq[c]; e_operation[v_e] := v_batch * 1024 + v_k;
        e_amount[v_e] := v_amount; e_balance[v_e] := a_posted[c]; e_held[v_e] := a_held[c]; e_delta[v_e] := 0;
      end if;
      if s > 0 then
        if v_type = 'hold' then
          s_state[s] := 'pending'; s_amount[s] := v_amount; s_debit[s] := a_id[d]; s_place[s] := v_k;
          s_credit[s] := p_member[c] || '/' || p_account_kind[c];
        else
          s_state[s] := case v_type when 'post' then 'posted' else 'voided' end::ledger.operation_state;
          s_moved[s] := true;
          a_resolved[p_debit[v_k]] := a_resolved[p_debit[v_k]] + 1;
        end if;
      end if;
    end loop;

    -- An operation of the group failed: undo the group in reverse order, and reject all of it.
    if v_failed > 0 then
      for v_k in reverse v_e..v_e_group + 1 loop
        d := e_place[v_k];
        a_posted[d] := a_posted[d] - e_amount[v_k]; a_held[d] := a_held[d] - e_delta[v_k]; a_seq[d] := a_seq[d] - 1;
      end loop;
      v_e := v_e_group;
      for v_k in reverse v_failed - 1..v_i loop
        s := p_slot[v_k];
        if s > 0 then
          if p_type[v_k] = 'hold' then s_place[s] := 0;
          else
            s_state[s] := 'pending'; s_moved[s] := false;
            a_resolved[p_debit[v_k]] := a_resolved[p_debit[v_k]] - 1;
          end if;
        end if;
        r_pending[v_k] := null;
      end loop;
      for v_k in v_i..v_end loop
        r_state[v_k] := 'rejected';
        r_reason[v_k] := case when v_k = v_failed then v_reason else 'linked' end;
        if p_slot[v_k] > 0 and p_type[v_k] = 'hold' then s_state[p_slot[v_k]] := 'rejected'; end if;
        if v_k > v_failed then
          r_debit[v_k] := a_id[p_debit[v_k]]; r_credit[v_k] := a_id[p_credit[v_k]];
          r_amount[v_k] := case when p_type[v_k] = 'adjust' then 0 else p_amount[v_k] end;
          r_signed[v_k] := r_amount[v_k];
        end if;
      end loop;
    end if;

    for v_k in v_i..v_end loop
      d := p_debit[v_k]; c := p_credit[v_k];
      r_id[v_k] := v_batch * 1024 + v_k;
      r_write[v_k] := true;
      r_outcome[v_k] := case when v_failed > 0 then 'r' else 'a' end;
      r_dp[v_k] := a_posted[d]; r_dh[v_k] := a_held[d]; r_cp[v_k] := a_posted[c]; r_ch[v_k] := a_held[c];
      v_written := v_written + 1;
    end loop;
    v_i := v_end + 1;
  end loop;

  if v_written > 0 then
    -- 5. One statement writes accounts, operations, entries and the link of the chain: starting a statement costs as much as several
    -- rows. A hold that this batch resolved is written in its final state.
    for v_k in 1..v_slots loop
      if s_moved[v_k] and s_place[v_k] > 0 then r_state[s_place[v_k]] := s_state[v_k]; end if;
    end loop;
    with moved as (
      update ledger.account a
         set posted = t.posted, held = t.held, seq = t.seq, resolved = t.resolved, at = v_at
        from unnest(a_id, a_posted, a_held, a_seq, a_resolved) t(id, posted, held, seq, resolved)
       where a.id = t.id and a.seq <> t.seq
    ), operations as (
      insert into ledger.operation
        (id, idempotency_key, request_hash, debit, credit, amount, pending, type, state, kind, reference, actor, reason)
      select t.id, t.key, t.hash, t.debit, t.credit, t.amount, t.pending, t.type, t.state, t.kind, t.reference, t.actor,
             t.reason
        from unnest(r_write, r_id, p_key, p_hash, r_debit, r_credit, r_amount, r_pending, p_type, r_state, p_kind,
                    p_reference, p_actor, r_reason)
             t(write, id, key, hash, debit, credit, amount, pending, type, state, kind, reference, actor, reason)
       where t.write
      returning id, ledger.operation_line(operation) as line
    ), entries as (
      insert into ledger.entry (account_id, seq, operation_id, amount, balance, held, at)
      select t.account, t.seq, t.operation, t.amount, t.balance, t.held, v_at
        from unnest(e_account[1:v_e], e_seq[1:v_e], e_operation[1:v_e], e_amount[1:v_e], e_balance[1:v_e],
                    e_held[1:v_e]) t(account, seq, operation, amount, balance, held)
      returning operation_id, account_id, seq, ledger.entry_line(entry) as line
    ), link as (
      insert into ledger.batch (id, lane, first_operation, last_operation, at, previous_hash, hash)
      select v_batch, p_lane, v_batch * 1024 + 1, v_batch * 1024 + v_n, v_at, v_previous,
             sha256(v_previous || ledger.batch_text(p_lane, v_batch, v_at,
               (select string_agg(o.line, E'\n' order by o.id) from operations o),
               (select string_agg(e.line, E'\n' order by e.operation_id, e.account_id, e.seq) from entries e)))
      returning hash
    )
    update ledger.lane l set last_batch = v_batch, hash = link.hash from link where l.id = p_lane;
    if v_slots > 0 then
      update ledger.operation o set state = t.state
        from unnest(s_id, s_state, s_moved) t(id, state, moved)
       where t.moved and t.id is not null and o.id = t.id and o.state::text = 'pending';
      get diagnostics v_k = row_count;
      if v_k <> (select count(*) from unnest(s_id, s_moved) t(id, moved) where t.moved and t.id is not null) then
        raise exception 'ledger: a hold of batch % was not pending', v_batch;
      end if;
    end if;
    batch_id := v_batch;
  end if;

  at := to_char(v_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  ids := array_to_string(r_id, ',', '');
  outcomes := array_to_string(r_outcome, '');
  states := array_to_string(r_state, ',', '');
  reasons := array_to_string(r_reason, ',', '');
  amounts := array_to_string(r_signed, ',', '');
  debit_posted := array_to_string(r_dp, ','); debit_held := array_to_string(r_dh, ',');
  credit_posted := array_to_string(r_cp, ','); credit_held := array_to_string(r_ch, ',');
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.post_commands(p_lane smallint, p_kind_of text[], p_rows jsonb, p_command_of integer[], p_member text[], p_account_kind text[], p_currency text[], p_key uuid[], p_hash uuid[], p_type ledger.operation_type[], p_debit integer[], p_credit integer[], p_amount bigint[], p_slot integer[], p_last integer[], p_kind text[], p_reference text[], p_actor text[], p_slot_key uuid[], OUT batch_id text, OUT previous_batch text, OUT at text, OUT ids text, OUT outcomes text, OUT states text, OUT reasons text, OUT amounts text, OUT debit_posted text, OUT debit_held text, OUT credit_posted text, OUT credit_held text, OUT posted text, OUT command_outcomes text)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_variable
declare
  v_n constant int := cardinality(p_kind_of);
  v_all_applied constant text[] := array_fill('applied'::text, array[v_n]);
  v_outcomes text[] := v_all_applied;
  v_kinds constant text[] := array(select distinct k from unnest(p_kind_of) k order by k);
  v_kind text; v_positions int[]; v_rows jsonb; v_some text[]; v_verdicts text[]; v_posted int[]; v_k int; v_post record;
begin
  foreach v_kind in array v_kinds loop
    if cardinality(v_kinds) = 1 then
      execute format('select commands.%I($1)', v_kind || '_admit') into v_outcomes using p_rows;
    else
      select array_agg(t.i::int order by t.i), jsonb_agg(p_rows -> (t.i - 1)::int order by t.i) into v_positions, v_rows
        from unnest(p_kind_of) with ordinality t(kind, i) where t.kind = v_kind;
      execute format('select commands.%I($1)', v_kind || '_admit') into v_some using v_rows;
      for v_k in 1..cardinality(v_positions) loop v_outcomes[v_positions[v_k]] := v_some[v_k]; end loop;
    end if;
  end loop;
  if cardinality(v_outcomes) is distinct from v_n or array_position(v_outcomes, null) is not null then
    raise exception 'commands: outcomes % of % commands', v_outcomes, v_n;
  end if;

  if v_outcomes <> v_all_applied then
    -- Only operations of admitted commands. A group belongs to one command: all of it is posted, or none.
    select array_agg(x.key order by x.n), array_agg(x.hash order by x.n), array_agg(x.type order by x.n),
           array_agg(x.debit order by x.n), array_agg(x.credit order by x.n), array_agg(x.amount order by x.n),
           array_agg(x.slot order by x.n), array_agg(x.last order by x.n), array_agg(x.kind order by x.n),
           array_agg(x.reference order by x.n), array_agg(x.actor order by x.n), array_agg(x.command order by x.n),
           array_agg(x.i order by x.n)
      into p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind, p_reference, p_actor, p_command_of,
           v_posted
      from (select y.*, (max(y.n) over (partition by y.old_last))::int as last
              from (select t.*, row_number() over (order by t.i) as n
                      from unnest(p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind,
                                  p_reference, p_actor, p_command_of) with ordinality
                           t(key, hash, type, debit, credit, amount, slot, old_last, kind, reference, actor, command, i)
                     where t.command = 0 or v_outcomes[t.command] = 'applied') y) x;
    posted := coalesce(array_to_string(v_posted, ','), '');
  end if;
  command_outcomes := array_to_string(v_outcomes, ',');
  if coalesce(cardinality(p_key), 0) = 0 then return; end if;

  select * into v_post
    from ledger.post_batch(p_lane, p_member, p_account_kind, p_currency, p_key, p_hash, p_type, p_debit, p_credit,
                           p_amount, p_slot, p_last, p_kind, p_reference, p_actor, p_slot_key);
  batch_id := v_post.batch_id; previous_batch := v_post.previous_batch; at := v_post.at; ids := v_post.ids;
  outcomes := v_post.outcomes; states := v_post.states; reasons := v_post.reasons; amounts := v_post.amounts;
  debit_posted := v_post.debit_posted; debit_held := v_post.debit_held;
  credit_posted := v_post.credit_posted; credit_held := v_post.credit_held;
  if outcomes !~* '[^a]' then return; end if;

  foreach v_kind in array v_kinds loop
    select array_agg(x.command order by x.command), jsonb_agg(p_rows -> (x.command - 1) order by x.command),
           array_agg(x.verdicts order by x.command)
      into v_positions, v_rows, v_verdicts
      from (select o.command, bool_and(lower(o.code) = 'a') as is_applied,
                   string_agg(case lower(o.code) when 'a' then 'applied' when 'r' then 'rejected' else 'conflict' end, ','
                              order by o.i) as verdicts
              from unnest(p_command_of, string_to_array(outcomes, null)) with ordinality o(command, code, i)
             where o.command > 0 group by o.command) x
     where p_kind_of[x.command] = v_kind and not x.is_applied;
    continue when v_positions is null;
    execute format('select commands.%I($1, $2)', v_kind || '_refused') into v_some using v_rows, v_verdicts;
    for v_k in 1..cardinality(v_positions) loop v_outcomes[v_positions[v_k]] := v_some[v_k]; end loop;
  end loop;
  if array_position(v_outcomes, null) is not null then
    raise exception 'commands: outcomes % of % commands', v_outcomes, v_n;
  end if;
  command_outcomes := array_to_string(v_outcomes, ',');
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.seq_before(p_account bigint, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_low bigint := 0;
  v_high bigint := coalesce((select a.seq from ledger.account a where a.id = p_account), 0);
  v_middle bigint;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select e.at from ledger.entry e where e.account_id = p_account and e.seq = v_middle) < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.seq_until(p_account bigint, p_operation bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  -- The entry v_low may belong to a later operation; all entries after v_high do.
  v_high bigint := coalesce((select a.seq from ledger.account a where a.id = p_account), 0);
  v_low bigint := v_high;
  v_step bigint := 1;
  v_middle bigint;
begin
  while v_low > 0 loop
    exit when (select e.operation_id from ledger.entry e where e.account_id = p_account and e.seq = v_low) <= p_operation;
    v_high := v_low - 1;
    v_low := greatest(v_low - v_step, 0);
    v_step := v_step * 2;
  end loop;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select e.operation_id from ledger.entry e where e.account_id = p_account and e.seq = v_middle) <= p_operation then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$function$
;

CREATE OR REPLACE FUNCTION public.lease_holder()
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select nullif(current_setting('krapao.instance', true), '')::integer
$function$
;

CREATE OR REPLACE FUNCTION public.lookup_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update lookup_version set version = gen_random_uuid();
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.member_phone_notice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_security_change(old.id, 'phone');
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.member_status_notice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (old.status = 'active') = (new.status = 'active') then
    return null;
  end if;
  with added as (
    insert into notification_item (member_id, kind, reference, at, facts)
    values (new.id, 'security', gen_random_uuid()::text, now(), jsonb_build_object(
      'subject', case new.status when 'active' then 'accountOpened' else 'accountClosed' end))
    returning id)
  insert into push_outbox (notice_id, subscription_id, work_at, expires_at, is_last)
  select a.id, p.id, now(), now() + interval '4 hours', true
    from added a
    join push_subscription p on p.member_id = new.id and 'security' = any(p.kinds)
    join member_session s on s.token_hash = p.session_hash
   where old.status = 'active' and s.expires_at > now() and s.superseded_at is null and s.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by p.id for key share of p;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.new_member_code()
 RETURNS text
 LANGUAGE sql
AS $function$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(r.bytes, i) & 31), 1), '')
  -- Skips the two bytes that hold version and variant of a UUID.
  from (select uuid_send(gen_random_uuid()) as bytes) r, unnest(array[0, 1, 2, 3, 4, 5, 9, 10]) i
$function$
;

CREATE OR REPLACE FUNCTION public.notify_security_change(p_member uuid, p_subject text)
 RETURNS void
 LANGUAGE sql
AS $function$
  with added as (
    insert into notification_item (member_id, kind, reference, at, facts)
    values (p_member, 'security', gen_random_uuid()::text, now(), jsonb_build_object('subject', p_subject))
    returning id)
  insert into push_outbox (notice_id, subscription_id, work_at, expires_at)
  select a.id, p.id, now(), now() + interval '4 hours'
    from added a
    join push_subscription p on p.member_id = p_member and 'security' = any(p.kinds)
    join member_session s on s.token_hash = p.session_hash
   where s.expires_at > now() and s.superseded_at is null and s.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by p.id for key share of p
$function$
;

CREATE OR REPLACE FUNCTION public.providers_of(p_member uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(string_agg(distinct a.provider, ' ' order by a.provider), 'none')
    from game_account a where a.member_id = p_member and a.state = 'ACTIVE'
$function$
;

CREATE OR REPLACE FUNCTION public.push_lane(p_endpoint text, p_is_silent boolean)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select regexp_replace(split_part(p_endpoint, '/', 3), '^.*\.(push\.apple\.com|notify\.windows\.com)$', '\1')
         || case when p_is_silent then '!silent' else '' end
$function$
;

CREATE OR REPLACE FUNCTION public.queue_security_sms()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  v_subject text := coalesce(new.facts ->> 'subject', 'other');
begin
  insert into notification_sms (notice_id, member_id, phone, subject, language, expires_at, work_at)
  select new.id, m.id, m.phone, v_subject,
         (select s.language from member_session s where s.member_id = m.id and s.language is not null
           order by s.created_at desc limit 1),
         now() + interval '24 hours', now()
    from member m
   where m.id = new.member_id
     and (select count(*) from notification_sms o where o.member_id = m.id and o.subject = v_subject
             and o.created_at > now() - interval '24 hours') < 5;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.rate_limit_hits(p_now timestamp with time zone, p_keys text[], p_call integer[], p_limit integer[], p_seconds double precision[], p_most integer[])
 RETURNS TABLE(call integer, place integer, seconds_left integer)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_starts timestamptz[];
  v_hits int[];
  v_changed boolean[] := array_fill(false, array[cardinality(p_keys)]);
  v_key int;
  v_refused int;
begin
  -- Inserts new keys, then locks the existing ones, both in key order: concurrent calls wait in one direction.
  -- A window that starts at the epoch is over.
  insert into rate_limit (key, window_start, hits)
    select k, 'epoch', 1 from unnest(p_keys) k where not exists (select from rate_limit r where r.key = k) order by k
    on conflict do nothing;
  with locked as materialized (
    select r.key, r.window_start, r.hits from rate_limit r where r.key = any(p_keys) order by r.key for no key update)
  select array_agg(coalesce(l.window_start, 'epoch') order by k.place), array_agg(coalesce(l.hits, 1) order by k.place)
    into v_starts, v_hits
    from unnest(p_keys) with ordinality k(key, place) left join locked l on l.key = k.key;

  for v_place in 1 .. cardinality(p_call) loop
    continue when p_call[v_place] = v_refused;
    v_key := p_limit[v_place];
    -- A window that starts in the future comes from a wrong clock. It is over too, so that no caller is locked out for weeks.
    if abs(extract(epoch from p_now - v_starts[v_key])) >= p_seconds[v_place] then
      v_starts[v_key] := p_now;
      v_hits[v_key] := 1;
      v_changed[v_key] := true;
    elsif v_hits[v_key] <> p_most[v_place] + 1 then
      -- Counting stops one past the limit, so that a flood does not rewrite the row.
      v_hits[v_key] := least(v_hits[v_key], p_most[v_place]) + 1;
      v_changed[v_key] := true;
    end if;
    if v_hits[v_key] > p_most[v_place] then
      v_refused := p_call[v_place];
      call := v_refused;
      place := v_place;
      seconds_left := extract(epoch from v_starts[v_key] + make_interval(secs => p_seconds[v_place]) - p_now)::int;
      return next;
    end if;
  end loop;

  insert into rate_limit as r (key, window_start, hits)
    select k.key, k.window_start, k.hits from unnest(p_keys, v_starts, v_hits, v_changed) k(key, window_start, hits, is_changed)
     where k.is_changed
    on conflict (key) do update set window_start = excluded.window_start, hits = excluded.hits;
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the table % is append-only', tg_table_name using errcode = 'restrict_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_config()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and old.state = 'PUBLISHED' and new.state = 'SUPERSEDED'
    and to_jsonb(old) - 'state' = to_jsonb(new) - 'state' then
    return new;
  end if;
  raise exception 'a version of the configuration never changes' using errcode = 'restrict_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change_of_wheel()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and (old.version, old.name, old.slices, old.weights_hash, old.published_at)
    is not distinct from (new.version, new.name, new.slices, new.weights_hash, new.published_at) then
    return new;
  end if;
  raise exception 'a version of the wheel never changes' using errcode = 'restrict_violation';
end
$function$
;

CREATE OR REPLACE FUNCTION public.set_lease_holder()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.leased_by := case when new.leased_until > now() then lease_holder() end;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.set_providers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.providers := providers_of(new.member_id);
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.set_push_lane()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  select push_lane(p.endpoint, p.is_silent) into new.lane from push_subscription p where p.id = new.subscription_id;
  new.lane := coalesce(new.lane, 'none');
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.spinwheel_draw(p_member uuid, p_key text, p_id uuid, p_seed uuid, p_nonce integer, p_version integer, p_slice integer, p_slice_code text, p_coupon_kind text, p_coupon_amount bigint, p_expires_at timestamp with time zone, p_at timestamp with time zone, OUT outcome text, OUT coins_after integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare
  v_coins int;
begin
  select p.coins into v_coins from spinwheel_purse p where p.member_id = p_member for update;
  if exists (select from spinwheel_spin s where s.member_id = p_member and s.idempotency_key = p_key) then
    outcome := 'replayed';
    return;
  end if;
  if coalesce(v_coins, 0) < 1 then
    outcome := 'no_coin';
    return;
  end if;
  if p_version <> (select max(w.version) from spinwheel_version w where w.is_active) then
    outcome := 'stale_read';
    return;
  end if;
  update spinwheel_seed d set nonce = d.nonce + 1
   where d.id = p_seed and d.member_id = p_member and d.nonce = p_nonce and d.state = 'CURRENT';
  if not found then
    outcome := 'stale_read';
    return;
  end if;
  update spinwheel_purse p set coins = p.coins - 1 where p.member_id = p_member returning p.coins into coins_after;
  insert into spinwheel_coin_movement (member_id, source, coins, coins_after)
  values (p_member, 'spinwheel:' || p_id, -1, coins_after);
  insert into spinwheel_spin (id, member_id, idempotency_key, seed_id, nonce, version, slice, slice_code, coins_after, created_at)
  values (p_id, p_member, p_key, p_seed, p_nonce, p_version, p_slice, p_slice_code, coins_after, p_at);
  if p_coupon_kind is not null then
    insert into spinwheel_coupon (id, member_id, version, slice_code, kind, amount, expires_at, created_at)
    values (p_id, p_member, p_version, p_slice_code, p_coupon_kind, p_coupon_amount, p_expires_at, p_at);
  end if;
  outcome := 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION public.wallet_suspension_notice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    perform notify_security_change(new.member_id, 'walletClosed');
  else
    perform notify_security_change(old.member_id, 'walletOpened');
  end if;
  return null;
end
$function$
;

CREATE TRIGGER entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER config_version_not_emptied BEFORE TRUNCATE ON public.config_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER config_version_stays BEFORE DELETE OR UPDATE ON public.config_version FOR EACH ROW EXECUTE FUNCTION refuse_change_of_config();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.deposit_account FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER deposit_bonus_providers BEFORE INSERT ON public.deposit_bonus FOR EACH ROW EXECUTE FUNCTION set_providers();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.deposit_wallet_app FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.game FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER incentive_condition_providers BEFORE INSERT ON public.incentive_condition FOR EACH ROW EXECUTE FUNCTION set_providers();

CREATE TRIGGER incentive_grant_lease_holder BEFORE INSERT OR UPDATE OF leased_until ON public.incentive_grant FOR EACH ROW EXECUTE FUNCTION set_lease_holder();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_address_rule FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_bank FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_banner FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_limit FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_setting FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_source FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_switch FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER lookup_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.lookup_text FOR EACH STATEMENT EXECUTE FUNCTION lookup_changed();

CREATE TRIGGER member_phone_notice BEFORE UPDATE OF phone ON public.member FOR EACH ROW WHEN ((old.phone IS DISTINCT FROM new.phone)) EXECUTE FUNCTION member_phone_notice();

CREATE TRIGGER member_status_notice AFTER UPDATE OF status ON public.member FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION member_status_notice();

CREATE TRIGGER notification_item_sms AFTER INSERT ON public.notification_item FOR EACH ROW WHEN ((new.kind = 'security'::text)) EXECUTE FUNCTION queue_security_sms();

CREATE TRIGGER operator_log_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER push_outbox_lane BEFORE INSERT ON public.push_outbox FOR EACH ROW EXECUTE FUNCTION set_push_lane();

CREATE TRIGGER spinwheel_coin_movement_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON public.spinwheel_coin_movement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER spinwheel_spin_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON public.spinwheel_spin FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER spinwheel_version_stays BEFORE DELETE OR UPDATE ON public.spinwheel_version FOR EACH ROW EXECUTE FUNCTION refuse_change_of_wheel();

CREATE TRIGGER transfer_leg_lease_holder BEFORE INSERT OR UPDATE OF leased_until ON public.transfer_leg FOR EACH ROW EXECUTE FUNCTION set_lease_holder();

CREATE TRIGGER wallet_suspension_notice AFTER INSERT OR DELETE ON public.wallet_suspension FOR EACH ROW EXECUTE FUNCTION wallet_suspension_notice();

CREATE TRIGGER withdraw_lease_holder BEFORE INSERT OR UPDATE OF leased_until ON public.withdraw FOR EACH ROW EXECUTE FUNCTION set_lease_holder();

CREATE TRIGGER withdraw_providers BEFORE INSERT ON public.withdraw FOR EACH ROW WHEN ((NOT new.is_held)) EXECUTE FUNCTION set_providers();
