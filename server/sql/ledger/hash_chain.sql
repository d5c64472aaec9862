-- migration: 0358

-- The hashed text of a batch: written by post_batch, recomputed by the audit. A hold stays pending in it, because the
-- operation that resolves the hold is hashed as well.
create or replace function ledger.operation_line(o ledger.operation)
returns text language sql stable parallel safe as $$
  select concat_ws(E'\x1f', (o).id, (o).idempotency_key, (o).request_hash, (o).debit, (o).credit, (o).amount,
         (o).pending,
    (o).type, case when (o).type = 'hold' and (o).state <> 'rejected' then 'pending' else (o).state end, (o).kind,
    (o).reference, (o).actor, (o).reason)
$$;

create or replace function ledger.entry_line(e ledger.entry) returns text language sql stable parallel safe as $$
  select concat_ws(E'\x1f', (e).account_id, (e).seq, (e).operation_id, (e).amount, (e).balance, (e).held)
$$;

create or replace function ledger.batch_text(p_lane smallint, p_batch bigint, p_at timestamptz, p_operations text,
       p_entries text)
returns bytea language sql stable parallel safe as $$
  select convert_to(
    concat_ws(E'\x1f', p_lane, p_batch, to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'))
    || E'\n' || coalesce(p_operations, '') || E'\n' || coalesce(p_entries, ''), 'UTF8')
$$;
