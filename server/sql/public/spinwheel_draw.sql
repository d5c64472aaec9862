-- migration: 0358

-- One spin: takes the coin, advances the seed, and writes the spin with its coupon. The caller drew with the seed,
-- nonce and wheel that it names. The lock of the purse serialises a member's spins. Outcomes: applied · replayed: the
-- key has a spin · no_coin · stale_read: another spin, seed or wheel committed first
create or replace function spinwheel_draw(
  p_member uuid, p_key text, p_id uuid, p_seed uuid, p_nonce int, p_version int, p_slice int, p_slice_code text,
  p_coupon_kind text, p_coupon_amount bigint, p_expires_at timestamptz, p_at timestamptz,
  out outcome text, out coins_after int
) language plpgsql as $$
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
$$;
