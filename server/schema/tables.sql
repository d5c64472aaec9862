-- Made from the migrations by `npm run schema -- --write`; not to be edited.

create domain public.currency as text constraint currency_known CHECK ((VALUE = ANY (ARRAY['BAHT'::text, 'LAK'::text])));

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
  forwarded_sequence integer not null default 0,
  forward_at timestamp with time zone,
  forward_tries integer not null default 0,
  needs_person boolean not null default false,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint chat_conversation_customer UNIQUE (kind, customer_id),
  constraint chat_conversation_forwarded CHECK (((forwarded_sequence >= 0) AND (forwarded_sequence <= last_sequence))),
  constraint chat_conversation_kind CHECK ((kind = ANY (ARRAY['member'::text, 'visitor'::text]))),
  constraint chat_conversation_pkey PRIMARY KEY (id),
  constraint chat_conversation_read CHECK (((read_sequence >= 0) AND (read_sequence <= last_sequence)))
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

create table public.deposit_announcement (
  id uuid not null,
  member_id uuid not null,
  reference text not null,
  house_account text,
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
  constraint deposit_announcement_amount CHECK (((amount > 0) AND (pay_amount >= amount))),
  constraint deposit_announcement_arrival_exists FOREIGN KEY (arrival_id) REFERENCES deposit_arrival(id),
  constraint deposit_announcement_ended CHECK (((state = 'OPEN'::text) = (ended_at IS NULL))),
  constraint deposit_announcement_found CHECK (((state <> ALL (ARRAY['MATCHED'::text, 'THIRD_PARTY'::text])) OR (arrival_id IS NOT NULL))),
  constraint deposit_announcement_late CHECK (((NOT is_late) OR (state = 'MATCHED'::text))),
  constraint deposit_announcement_life CHECK ((expires_at <= release_at)),
  constraint deposit_announcement_member_exists FOREIGN KEY (member_id) REFERENCES member(id),
  constraint deposit_announcement_pkey PRIMARY KEY (id),
  constraint deposit_announcement_reference UNIQUE (reference),
  constraint deposit_announcement_state CHECK ((state = ANY (ARRAY['OPEN'::text, 'MATCHED'::text, 'EXPIRED'::text, 'THIRD_PARTY'::text])))
) with (fillfactor=80);

create table public.deposit_announcement_request (
  member_id uuid not null,
  key text not null,
  request_hash bytea not null,
  announcement_id uuid not null,
  created_at timestamp with time zone not null default now(),
  constraint deposit_announcement_request_announcement_exists FOREIGN KEY (announcement_id) REFERENCES deposit_announcement(id),
  constraint deposit_announcement_request_key PRIMARY KEY (member_id, key),
  constraint deposit_announcement_request_member_exists FOREIGN KEY (member_id) REFERENCES member(id)
);

create table public.deposit_arrival (
  id uuid not null,
  sending_bank text not null,
  trans_ref text not null,
  house_account text not null,
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
  debit_house_account text,
  via text,
  note text,
  claimed_at timestamp with time zone,
  credited_at timestamp with time zone,
  work_at timestamp with time zone,
  leased_by integer,
  leased_to timestamp with time zone,
  constraint deposit_arrival_amount CHECK ((amount > 0)),
  constraint deposit_arrival_claimed CHECK ((((member_id IS NULL) = (via IS NULL)) AND ((member_id IS NULL) = (claimed_at IS NULL)) AND ((member_id IS NULL) OR (state <> 'GATEWAY'::text)) AND ((state = 'CREDITED'::text) = (debit_house_account IS NOT NULL)) AND ((state <> 'CREDITED'::text) OR (member_id IS NOT NULL)))),
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

create table public.deposit_method_stat (
  method text not null,
  currency currency not null,
  median_ms bigint,
  samples integer not null,
  created integer not null,
  failed integer not null,
  at timestamp with time zone not null,
  constraint deposit_method_stat_counts CHECK (((samples >= 0) AND ((failed >= 0) AND (failed <= created)) AND ((median_ms IS NULL) = (samples = 0)))),
  constraint deposit_method_stat_once PRIMARY KEY (method, currency)
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
  announcement_id uuid not null,
  release_at timestamp with time zone,
  constraint deposit_reserved_amount_announcement_exists FOREIGN KEY (announcement_id) REFERENCES deposit_announcement(id) DEFERRABLE INITIALLY DEFERRED,
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
  credits_per_unit integer not null,
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
  constraint game_credits_per_unit CHECK (((credits_per_unit >= 1) AND (credits_per_unit <= 1000000))),
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

create table public.operator_data_address_rule (
  network cidr not null,
  verdict text not null,
  note text not null default ''::text,
  constraint operator_data_address_rule_pkey PRIMARY KEY (network),
  constraint operator_data_address_rule_verdict CHECK ((verdict = ANY (ARRAY['allow'::text, 'deny'::text])))
);

create table public.operator_data_bank (
  code text not null,
  number text,
  name_th text not null,
  name_en text not null,
  country text not null,
  digits_min integer not null,
  digits_max integer not null,
  "position" integer not null,
  is_enabled boolean not null default true,
  constraint operator_data_bank_code CHECK ((code ~ '^[A-Z0-9]{2,16}$'::text)),
  constraint operator_data_bank_country CHECK ((country = ANY (ARRAY['TH'::text, 'LA'::text]))),
  constraint operator_data_bank_digits CHECK (((digits_min > 0) AND (digits_min <= digits_max) AND (digits_max <= 40))),
  constraint operator_data_bank_number CHECK ((number ~ '^[0-9]{3}$'::text)),
  constraint operator_data_bank_pkey PRIMARY KEY (code)
);

create table public.operator_data_banner (
  kind text not null,
  "position" integer not null,
  image text not null default ''::text,
  th text not null,
  la text not null,
  en text not null,
  is_enabled boolean not null default true,
  constraint operator_data_banner_kind CHECK ((kind = ANY (ARRAY['invite'::text, 'refund'::text]))),
  constraint operator_data_banner_pkey PRIMARY KEY (kind, "position")
);

create table public.operator_data_limit (
  name text not null,
  hits integer not null,
  window_seconds integer not null,
  constraint operator_data_limit_pkey PRIMARY KEY (name),
  constraint operator_data_limit_positive CHECK (((hits > 0) AND (window_seconds > 0)))
);

create table public.operator_data_seeded (
  name text not null,
  at timestamp with time zone not null default now(),
  constraint operator_data_seeded_pkey PRIMARY KEY (name)
);

create table public.operator_data_setting (
  name text not null,
  value jsonb not null,
  constraint operator_data_setting_pkey PRIMARY KEY (name)
);

create table public.operator_data_source (
  code text not null,
  th text not null,
  la text not null,
  en text not null,
  "position" integer not null,
  is_enabled boolean not null default true,
  constraint operator_data_source_code CHECK ((code ~ '^[A-Z0-9_]{1,32}$'::text)),
  constraint operator_data_source_pkey PRIMARY KEY (code)
);

create table public.operator_data_switch (
  name text not null,
  is_stopped boolean not null,
  reason text not null,
  by text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint operator_data_switch_name CHECK ((name ~ '^[a-z.-]{1,40}(:[A-Za-z0-9_-]{1,64})?$'::text)),
  constraint operator_data_switch_pkey PRIMARY KEY (name)
);

create table public.operator_data_text (
  kind text not null,
  "position" integer not null,
  th text not null,
  la text not null,
  en text not null,
  constraint operator_data_text_kind CHECK ((kind = ANY (ARRAY['condition'::text, 'agreement'::text]))),
  constraint operator_data_text_pkey PRIMARY KEY (kind, "position")
);

create table public.operator_data_version (
  only_row boolean not null default true,
  version uuid not null default gen_random_uuid(),
  constraint operator_data_version_only_row CHECK (only_row),
  constraint operator_data_version_pkey PRIMARY KEY (only_row)
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

create table public.push_ending (
  subscription_id uuid not null,
  service text not null,
  at timestamp with time zone not null,
  constraint push_ending_pkey PRIMARY KEY (subscription_id)
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
  inquired_at timestamp with time zone,
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

create table public.schema_function (
  name text not null,
  migration integer not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_function_pkey PRIMARY KEY (name)
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
  credits_per_unit integer not null,
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
  inquiries integer not null default 0,
  is_silent boolean not null default false,
  is_inquiry_requested boolean not null default false,
  next_inquiry_at timestamp with time zone not null default now(),
  leased_until timestamp with time zone not null,
  fence integer not null default 1,
  sent_at timestamp with time zone,
  finished_at timestamp with time zone,
  note text,
  leased_by integer,
  constraint transfer_leg_account_exists FOREIGN KEY (member_id, game_code) REFERENCES game_account(member_id, game_code),
  constraint transfer_leg_amount CHECK (((amount > 0) AND (credits = (amount * credits_per_unit)))),
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
  inquiries integer not null default 0,
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
  inquiries integer not null default 0,
  is_inquiry_requested boolean not null default false,
  next_inquiry_at timestamp with time zone not null default now(),
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

CREATE INDEX bonus_receipt_of_member ON public.bonus_receipt USING btree (member_id, code, seq DESC);

CREATE INDEX bonus_receipt_of_offer ON public.bonus_receipt USING btree (code);

CREATE INDEX chat_conversation_empty ON public.chat_conversation USING btree (created_at) WHERE (last_sequence = 0);

CREATE INDEX chat_conversation_forward ON public.chat_conversation USING btree (forward_at) WHERE (forward_at IS NOT NULL);

CREATE INDEX chat_conversation_leased ON public.chat_conversation USING btree (leased_by) WHERE (leased_to = forward_at);

CREATE INDEX chat_conversation_waiting ON public.chat_conversation USING btree (waiting_since) WHERE (waiting_since IS NOT NULL);

CREATE INDEX chat_file_conversation ON public.chat_file USING btree (conversation_id, created_at);

CREATE INDEX chat_file_unused ON public.chat_file USING btree (created_at) WHERE (used_at IS NULL);

CREATE UNIQUE INDEX chat_message_answer_once ON public.chat_message USING btree (answer_id) WHERE (answer_id IS NOT NULL);

CREATE INDEX chat_message_answers ON public.chat_message USING btree (conversation_id, sequence) WHERE (sender = 'other'::text);

CREATE UNIQUE INDEX chat_message_once ON public.chat_message USING btree (conversation_id, client_id) WHERE (client_id <> ''::text);

CREATE INDEX chat_visitor_silent ON public.chat_visitor USING btree (seen_at) WHERE (NOT has_written);

CREATE UNIQUE INDEX config_version_published ON public.config_version USING btree (subject) WHERE (state = 'PUBLISHED'::text);

CREATE INDEX deposit_announcement_amount_sought ON public.deposit_announcement USING btree (pay_amount) WHERE (state <> 'MATCHED'::text);

CREATE INDEX deposit_announcement_member ON public.deposit_announcement USING btree (member_id, created_at);

CREATE INDEX deposit_announcement_open ON public.deposit_announcement USING btree (expires_at) WHERE (state = 'OPEN'::text);

CREATE INDEX deposit_announcement_pending ON public.deposit_announcement USING btree (member_id) WHERE (state = 'OPEN'::text);

CREATE INDEX deposit_arrival_leased ON public.deposit_arrival USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX deposit_arrival_member ON public.deposit_arrival USING btree (member_id, claimed_at) WHERE (member_id IS NOT NULL);

CREATE INDEX deposit_arrival_suspense ON public.deposit_arrival USING btree (suspended_at) WHERE (state = 'SUSPENSE'::text);

CREATE INDEX deposit_arrival_work ON public.deposit_arrival USING btree (work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX deposit_bonus_due ON public.deposit_bonus USING btree (providers, work_at) WHERE (work_at IS NOT NULL);

CREATE INDEX deposit_bonus_leased ON public.deposit_bonus USING btree (leased_by) WHERE (leased_to = work_at);

CREATE INDEX deposit_feed_leased ON public.deposit_feed USING btree (leased_by) WHERE (leased_to = poll_at);

CREATE INDEX deposit_parked_open ON public.deposit_parked USING btree (first_at) WHERE (settled_at IS NULL);

CREATE INDEX deposit_reserved_amount_announcement ON public.deposit_reserved_amount USING btree (announcement_id);

CREATE INDEX deposit_reserved_amount_due ON public.deposit_reserved_amount USING btree (release_at);

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

CREATE INDEX push_ending_service ON public.push_ending USING btree (service, at);

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
END), next_inquiry_at) WHERE ((state = ANY (ARRAY['SENT'::text, 'UNKNOWN'::text])) OR ((state = 'MANUAL'::text) AND ((proof IS NOT NULL) OR is_inquiry_requested)));

CREATE INDEX transfer_leg_leased ON public.transfer_leg USING btree (leased_by) WHERE ((state <> ALL (ARRAY['DONE'::text, 'REVERSED'::text])) AND (leased_by IS NOT NULL));

CREATE INDEX transfer_leg_open ON public.transfer_leg USING btree (next_inquiry_at) WHERE (state <> ALL (ARRAY['DONE'::text, 'REVERSED'::text]));

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
END), next_inquiry_at) WHERE ((state <> ALL (ARRAY['PAID'::text, 'FAILED'::text])) AND ((state <> 'MANUAL'::text) OR (proof IS NOT NULL) OR is_inquiry_requested));

CREATE INDEX withdraw_leased ON public.withdraw USING btree (leased_by) WHERE ((state <> ALL (ARRAY['PAID'::text, 'FAILED'::text])) AND (leased_by IS NOT NULL));

CREATE INDEX withdraw_of_member ON public.withdraw USING btree (member_id, created_at);

CREATE UNIQUE INDEX withdraw_one_pending ON public.withdraw USING btree (member_id) WHERE (state <> ALL (ARRAY['PAID'::text, 'FAILED'::text]));

CREATE OR REPLACE FUNCTION public.lease_holder()
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select nullif(current_setting('krapao.instance', true), '')::integer
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
  select added.id, subscription.id, now(), now() + interval '4 hours', true
    from added added
    join push_subscription subscription on subscription.member_id = new.id and 'security' = any(subscription.kinds)
    join member_session session on session.token_hash = subscription.session_hash
   where old.status = 'active' and session.expires_at > now() and session.superseded_at is null
     and session.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by subscription.id for key share of subscription;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.new_member_code()
 RETURNS text
 LANGUAGE sql
AS $function$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(uuid.bytes, position) & 31), 1), '')
  -- Skips the two bytes that hold version and variant of a UUID.
  from (select uuid_send(gen_random_uuid()) as bytes) uuid, unnest(array[0, 1, 2, 3, 4, 5, 9, 10]) position
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
  select added.id, subscription.id, now(), now() + interval '4 hours'
    from added added
    join push_subscription subscription on subscription.member_id = p_member and 'security' = any(subscription.kinds)
    join member_session session on session.token_hash = subscription.session_hash
   where session.expires_at > now() and session.superseded_at is null and session.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by subscription.id for key share of subscription
$function$
;

CREATE OR REPLACE FUNCTION public.operator_data_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update operator_data_version set version = gen_random_uuid();
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.providers_of(p_member uuid)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(string_agg(distinct account.provider, ' ' order by account.provider), 'none')
    from game_account account where account.member_id = p_member and account.state = 'ACTIVE'
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
  select new.id, member.id, member.phone, v_subject,
         (select session.language from member_session session
           where session.member_id = member.id and session.language is not null
           order by session.created_at desc limit 1),
         now() + interval '24 hours', now()
    from member member
   where member.id = new.member_id
     and (select count(*) from notification_sms message
       where message.member_id = member.id and message.subject = v_subject
             and message.created_at > now() - interval '24 hours') < 5;
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
    select new.key, 'epoch', 1 from unnest(p_keys) new(key)
     where not exists (select from rate_limit known where known.key = new.key) order by new.key
    on conflict do nothing;
  with locked as materialized (
    select counter.key, counter.window_start, counter.hits from rate_limit counter
     where counter.key = any(p_keys) order by counter.key for no key update)
  select array_agg(coalesce(locked.window_start, 'epoch') order by input.place),
         array_agg(coalesce(locked.hits, 1) order by input.place)
    into v_starts, v_hits
    from unnest(p_keys) with ordinality input(key, place) left join locked on locked.key = input.key;

  for v_place in 1 .. cardinality(p_call) loop
    continue when p_call[v_place] = v_refused;
    v_key := p_limit[v_place];
    -- A window that starts in the future comes from a wrong clock. It is over too, so that no caller is locked out for
    -- weeks.
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

  insert into rate_limit (key, window_start, hits)
    select counter.key, counter.window_start, counter.hits
      from unnest(p_keys, v_starts, v_hits, v_changed) counter(key, window_start, hits, is_changed)
     where counter.is_changed
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
  select push_lane(subscription.endpoint, subscription.is_silent) into new.lane
    from push_subscription subscription where subscription.id = new.subscription_id;
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
  select purse.coins into v_coins from spinwheel_purse purse where purse.member_id = p_member for update;
  if exists (select from spinwheel_spin spin where spin.member_id = p_member and spin.idempotency_key = p_key) then
    outcome := 'replayed';
    return;
  end if;
  if coalesce(v_coins, 0) < 1 then
    outcome := 'no_coin';
    return;
  end if;
  if p_version <> (select max(wheel.version) from spinwheel_version wheel where wheel.is_active) then
    outcome := 'stale_read';
    return;
  end if;
  update spinwheel_seed seed set nonce = seed.nonce + 1
   where seed.id = p_seed and seed.member_id = p_member and seed.nonce = p_nonce and seed.state = 'CURRENT';
  if not found then
    outcome := 'stale_read';
    return;
  end if;
  update spinwheel_purse purse set coins = purse.coins - 1
    where purse.member_id = p_member returning purse.coins into coins_after;
  insert into spinwheel_coin_movement (member_id, source, coins, coins_after)
  values (p_member, 'spinwheel:' || p_id, -1, coins_after);
  insert into spinwheel_spin (id, member_id, idempotency_key, seed_id, nonce, version, slice, slice_code, coins_after,
         created_at)
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

CREATE TRIGGER config_version_not_emptied BEFORE TRUNCATE ON public.config_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER config_version_stays BEFORE DELETE OR UPDATE ON public.config_version FOR EACH ROW EXECUTE FUNCTION refuse_change_of_config();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.deposit_account FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER deposit_bonus_providers BEFORE INSERT ON public.deposit_bonus FOR EACH ROW EXECUTE FUNCTION set_providers();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.deposit_wallet_app FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.game FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER incentive_condition_providers BEFORE INSERT ON public.incentive_condition FOR EACH ROW EXECUTE FUNCTION set_providers();

CREATE TRIGGER incentive_grant_lease_holder BEFORE INSERT OR UPDATE OF leased_until ON public.incentive_grant FOR EACH ROW EXECUTE FUNCTION set_lease_holder();

CREATE TRIGGER member_phone_notice BEFORE UPDATE OF phone ON public.member FOR EACH ROW WHEN ((old.phone IS DISTINCT FROM new.phone)) EXECUTE FUNCTION member_phone_notice();

CREATE TRIGGER member_status_notice AFTER UPDATE OF status ON public.member FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION member_status_notice();

CREATE TRIGGER notification_item_sms AFTER INSERT ON public.notification_item FOR EACH ROW WHEN ((new.kind = 'security'::text)) EXECUTE FUNCTION queue_security_sms();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_address_rule FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_bank FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_banner FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_limit FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_setting FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_source FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_switch FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_data_changed AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON public.operator_data_text FOR EACH STATEMENT EXECUTE FUNCTION operator_data_changed();

CREATE TRIGGER operator_log_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON public.operator_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER push_outbox_lane BEFORE INSERT ON public.push_outbox FOR EACH ROW EXECUTE FUNCTION set_push_lane();

CREATE TRIGGER spinwheel_coin_movement_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON public.spinwheel_coin_movement FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER spinwheel_spin_only_added_to BEFORE DELETE OR UPDATE OR TRUNCATE ON public.spinwheel_spin FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER spinwheel_version_stays BEFORE DELETE OR UPDATE ON public.spinwheel_version FOR EACH ROW EXECUTE FUNCTION refuse_change_of_wheel();

CREATE TRIGGER transfer_leg_lease_holder BEFORE INSERT OR UPDATE OF leased_until ON public.transfer_leg FOR EACH ROW EXECUTE FUNCTION set_lease_holder();

CREATE TRIGGER wallet_suspension_notice AFTER INSERT OR DELETE ON public.wallet_suspension FOR EACH ROW EXECUTE FUNCTION wallet_suspension_notice();

CREATE TRIGGER withdraw_lease_holder BEFORE INSERT OR UPDATE OF leased_until ON public.withdraw FOR EACH ROW EXECUTE FUNCTION set_lease_holder();

CREATE TRIGGER withdraw_providers BEFORE INSERT ON public.withdraw FOR EACH ROW WHEN ((NOT new.is_held)) EXECUTE FUNCTION set_providers();
