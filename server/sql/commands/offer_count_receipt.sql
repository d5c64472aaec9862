-- migration: 0358

-- Counts one receipt against the campaign's quota and budget, where it has any. Outcomes of offer_receive.
create or replace function commands.offer_count_receipt(p_code text, p_currency text, p_amount bigint)
returns text language plpgsql as $$
declare
  v_offer record;
begin
  select offer.quota is not null as has_quota, coalesce(offer.given < offer.quota, true) as is_left, offer.is_on
    into v_offer
    from bonus_offer offer where offer.code = p_code;
  if not v_offer.is_on then return 'stale_read'; end if;
  if v_offer.has_quota then
    select coalesce(offer.given < offer.quota, true) as is_left into v_offer from bonus_offer offer
     where offer.code = p_code for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
  end if;
  select budget.budget is not null as has_budget into v_offer from bonus_offer_amount budget
   where budget.code = p_code and budget.currency = p_currency::currency;
  if v_offer.has_budget then
    select coalesce(budget.given + p_amount <= budget.budget, true) as is_left into v_offer
      from bonus_offer_amount budget
     where budget.code = p_code and budget.currency = p_currency::currency for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
    update bonus_offer_amount budget set given = budget.given + p_amount
     where budget.code = p_code and budget.currency = p_currency::currency;
  end if;
  update bonus_offer offer set given = offer.given + 1 where offer.code = p_code and offer.quota is not null;
  return 'applied';
end
$$;
