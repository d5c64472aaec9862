-- migration: 0358

-- Counts one receipt against the campaign's quota and budget, where it has any. Outcomes of offer_receive.
create or replace function commands.offer_count_receipt(p_code text, p_currency text, p_amount bigint) returns text language plpgsql as $$
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
$$;
