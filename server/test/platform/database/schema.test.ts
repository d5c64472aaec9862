import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { currencies } from '@krapao/contract/money';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';

let fresh: FreshDatabase;
before(async () => {
  fresh = await freshDatabase();
});
after(() => fresh.dropDatabase());

const OWN_SCHEMAS_SQL = `n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`;

test('every constraint has a unique name, so that an error names the violated rule', async () => {
  // Names that PostgreSQL generates: TABLE_COLUMNS_check, _key, _fkey, with a number on conflict. A primary key is
  // TABLE_pkey unless it needs another name.
  const { rows } = await fresh.database.query<{ name: string }>(
    `select k.conname as name
       from pg_constraint k join pg_namespace n on n.oid = k.connamespace
       left join pg_class c on c.oid = k.conrelid
      where ${OWN_SCHEMAS_SQL} and k.contype not in ('n', 't', 'p')
        and (k.conname ~ '_(check|fkey|excl)[0-9]*$'
          or k.conname ~ ('^' || c.relname || '_' || (
               select string_agg(a.attname, '_' order by place) from unnest(k.conkey) with ordinality key (number, place)
                 join pg_attribute a on a.attrelid = k.conrelid and a.attnum = number) || '_key[0-9]*$'))
      order by 1`,
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    [],
  );
});

test('every member_id is a uuid that references a member, except where the check is too expensive', async () => {
  // The ledger also has house accounts. game_reveal, invite_play and transfer_leg reference a row with the member. For
  // the others, the migrations state the cost of the check.
  const exemptColumns = [
    'deposit_bonus',
    'game_reveal',
    'invite_play',
    'ledger.account',
    'qrcode',
    'qrcode_request',
    'transfer',
    'transfer_leg',
  ];
  const { rows } = await fresh.database.query<{ relation: string; type: string; references: boolean }>(
    `select a.attrelid::regclass::text as relation, format_type(a.atttypid, null) as type,
            exists (select from pg_constraint k where k.conrelid = a.attrelid and k.contype = 'f'
              and k.confrelid = 'member'::regclass and k.conkey = array[a.attnum]) as references
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where ${OWN_SCHEMAS_SQL} and c.relkind = 'r' and a.attname = 'member_id' and not a.attisdropped order by 1`,
  );
  assert.ok(rows.length > 25);
  assert.deepEqual(
    rows.filter(({ references }) => !references).map(({ relation }) => relation),
    exemptColumns,
  );
  assert.deepEqual(
    rows.filter(({ type }) => type !== 'uuid').map(({ relation }) => relation),
    ['ledger.account'],
  );
});

test('every table accepts exactly the currencies of the contract', async () => {
  const { rows } = await fresh.database.query<{ rule: string }>(
    `select pg_get_constraintdef(oid) as rule from pg_constraint where contypid = 'currency'::regtype`,
  );
  const acceptedCodes = Array.from(rows[0]?.rule.matchAll(/'(\w+)'/g) ?? [], ([, code]) => code);
  assert.deepEqual(acceptedCodes, [...currencies]);
  const { rows: otherColumns } = await fresh.database.query(
    `select a.attrelid::regclass from pg_attribute a join pg_class c on c.oid = a.attrelid
       join pg_namespace n on n.oid = c.relnamespace
      where ${OWN_SCHEMAS_SQL} and c.relkind = 'r' and a.attname = 'currency' and a.atttypid <> 'currency'::regtype`,
  );
  assert.deepEqual(otherColumns, []);
});
