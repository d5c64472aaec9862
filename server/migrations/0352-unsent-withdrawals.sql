-- oldest program: 0349
-- Unsent withdrawals are a partition of their own. While sending is stopped, polls do not read it.
-- Older programs read withdraw_due; a later migration drops it.

create index withdraw_claim on withdraw ((case when proof is not null then 'proven' when is_held and state = 'HELD' then 'unsent' when is_held then 'bank' else providers end), next_ask_at)
  where state not in ('PAID', 'FAILED') and (state <> 'MANUAL' or proof is not null or is_woken);
