import type { Queryable, Tx } from '../../platform/database/database.ts';

/** Blocks all other writers of tables that operators configure; readers continue. */
export async function lockTables(tx: Tx, ...tables: readonly string[]): Promise<void> {
  await tx.query(lockStatement(tables));
}

const lockStatement = (tables: readonly string[]): string =>
  `lock table ${tables.join(', ')} in share row exclusive mode`;

type BankItem = BankRule & { code: string };
export const selectBankDocument = async (on: Queryable): Promise<BankItem[]> =>
  (
    await on.query<BankItem>(`select code, number, name_th as "nameTH", name_en as "nameEN", country, json_build_array(digits_min, digits_max) as digits,
       is_enabled as "isEnabled" from operator_data_bank order by position, code`)
  ).rows;

/** Names of all banks with their country and the length of account numbers. */
export type BankRule = { country: 'TH' | 'LA'; digits: [number, number] };
export async function selectBankRules(on: Queryable): Promise<ReadonlyMap<string, BankRule>> {
  return new Map((await selectBankDocument(on)).map((bank) => [bank.code, bank]));
}

export async function replaceBanks(tx: Tx, banks: readonly { code: string }[]): Promise<void> {
  await tx.query('delete from operator_data_bank where code <> all($1)', [banks.map(({ code }) => code)]);
  await tx.query(
    `insert into operator_data_bank (code, number, name_th, name_en, country, digits_min, digits_max, is_enabled, position)
     select r.row ->> 'code', r.row ->> 'number', r.row ->> 'nameTH', r.row ->> 'nameEN', r.row ->> 'country',
            (r.row #>> '{digits,0}')::int, (r.row #>> '{digits,1}')::int, (r.row ->> 'isEnabled')::boolean, r.i - 1
       from jsonb_array_elements($1::jsonb) with ordinality r(row, i)
     on conflict (code) do update set number = excluded.number, name_th = excluded.name_th, name_en = excluded.name_en,
       country = excluded.country, digits_min = excluded.digits_min, digits_max = excluded.digits_max,
       is_enabled = excluded.is_enabled, position = excluded.position`,
    [JSON.stringify(banks)],
  );
}

export const selectSourceDocument = async (on: Queryable): Promise<unknown> =>
  (
    await on.query<object>(
      'select code, th, la, en, is_enabled as "isEnabled" from operator_data_source order by position, code',
    )
  ).rows;

export async function replaceSources(tx: Tx, sources: readonly object[]): Promise<void> {
  await tx.query('delete from operator_data_source');
  await tx.query(
    `insert into operator_data_source (code, th, la, en, is_enabled, position)
     select r.row ->> 'code', r.row ->> 'th', r.row ->> 'la', r.row ->> 'en', (r.row ->> 'isEnabled')::boolean, r.i - 1
       from jsonb_array_elements($1::jsonb) with ordinality r(row, i)`,
    [JSON.stringify(sources)],
  );
}

export const selectTextDocument = async (on: Queryable, kind: string): Promise<unknown> =>
  (await on.query<object>('select th, la, en from operator_data_text where kind = $1 order by position', [kind])).rows;

export async function replaceTexts(tx: Tx, kind: string, texts: readonly object[]): Promise<void> {
  await tx.query('delete from operator_data_text where kind = $1', [kind]);
  await tx.query(
    `insert into operator_data_text (kind, position, th, la, en)
     select $1, r.i - 1, r.row ->> 'th', r.row ->> 'la', r.row ->> 'en'
       from jsonb_array_elements($2::jsonb) with ordinality r(row, i)`,
    [kind, JSON.stringify(texts)],
  );
}

export const selectBannerDocument = async (on: Queryable, kind: string): Promise<unknown> =>
  (
    await on.query<object>(
      'select image, th, la, en, is_enabled as "isEnabled" from operator_data_banner where kind = $1 order by position',
      [kind],
    )
  ).rows;

export async function replaceBanners(tx: Tx, kind: string, banners: readonly object[]): Promise<void> {
  await tx.query('delete from operator_data_banner where kind = $1', [kind]);
  await tx.query(
    `insert into operator_data_banner (kind, position, image, th, la, en, is_enabled)
     select $1, r.i - 1, r.row ->> 'image', r.row ->> 'th', r.row ->> 'la', r.row ->> 'en', (r.row ->> 'isEnabled')::boolean
       from jsonb_array_elements($2::jsonb) with ordinality r(row, i)`,
    [kind, JSON.stringify(banners)],
  );
}

/** Limits by name; only the named ones, because a newer program may have more. */
export async function selectLimitDocument(on: Queryable, names: readonly string[]): Promise<unknown> {
  const { rows } = await on.query<{ name: string; hits: number; windowSeconds: number }>(
    'select name, hits, window_seconds as "windowSeconds" from operator_data_limit where name = any($1)',
    [names],
  );
  const limits = new Map(rows.map(({ name, ...limit }) => [name, limit]));
  return Object.fromEntries(names.flatMap((name) => (limits.has(name) ? [[name, limits.get(name)]] : [])));
}

export async function replaceLimits(tx: Tx, limits: object): Promise<void> {
  await tx.query(
    `insert into operator_data_limit (name, hits, window_seconds)
     select r.name, (r.row ->> 'hits')::int, (r.row ->> 'windowSeconds')::int from jsonb_each($1::jsonb) r(name, row)
     on conflict (name) do update set hits = excluded.hits, window_seconds = excluded.window_seconds`,
    [JSON.stringify(limits)],
  );
}

export const selectNetworkDocument = async (on: Queryable): Promise<unknown> =>
  (
    await on.query<object>(
      'select network::text as network, verdict, note from operator_data_address_rule order by network',
    )
  ).rows;

export async function replaceNetworks(tx: Tx, rules: readonly object[]): Promise<void> {
  await tx.query('delete from operator_data_address_rule');
  await tx.query(
    `insert into operator_data_address_rule (network, verdict, note)
     select (r.row ->> 'network')::cidr, r.row ->> 'verdict', r.row ->> 'note' from jsonb_array_elements($1::jsonb) r(row)`,
    [JSON.stringify(rules)],
  );
}

export async function selectSettingValue(on: Queryable, name: string): Promise<unknown> {
  const { rows } = await on.query<{ value: unknown }>('select value from operator_data_setting where name = $1', [
    name,
  ]);
  return rows[0]?.value ?? null;
}

export async function lockSetting(tx: Tx, name: string): Promise<void> {
  await tx.query('select from operator_data_setting where name = $1 for update', [name]);
}

export async function saveSetting(tx: Tx, name: string, value: unknown): Promise<void> {
  await tx.query(
    'insert into operator_data_setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, JSON.stringify(value)],
  );
}
