import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { startSystem, type System } from '../harness/system.ts';
import { type ConfigRunner, configRunner, SIGNATURE } from './config-fixtures.ts';

let system: System;
let config: ConfigRunner;
before(async () => {
  system = await startSystem({ simulators: false });
  config = configRunner(system);
});
after(async () => {
  await system.stop();
  config.remove();
});

// Tests change parts of any document.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

const text = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .map((value) => value.replaceAll(/(?![\t\n\r])[\p{Cc}\p{Cs}]/gu, ''));
const texts = fc.record({ th: text, la: text, en: text });
const baht = fc
  .integer({ min: 1, max: 1e13 })
  .map((minor) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`);
const network = fc
  .oneof(
    fc.tuple(fc.ipV4(), fc.constant(32)),
    fc.tuple(fc.ipV6(), fc.constant(128)),
    fc.tuple(
      fc.integer({ min: 0, max: 255 }).map((octet) => `${octet}.0.0.0`),
      fc.constant(8),
    ),
  )
  .map(([address, prefix]) => `${address}/${prefix}`);

/** Equal for all spellings of an address. */
function hostOf(network: string): string {
  const [address = ''] = network.split('/');
  return new URL(`http://${address.includes(':') ? `[${address}]` : address}`).hostname;
}

/** A random valid document of a subject, from the one in force, and a random change by SQL. */
type Subject = {
  name: string;
  document: (current: Any) => fc.Arbitrary<unknown>;
  sql: string;
  /** Order in which a document is read, if not its own. */
  isSet?: true;
};
const SUBJECTS: readonly Subject[] = [
  {
    name: 'setting:notice',
    document: () => texts,
    sql: `update operator_data_setting set value = jsonb_set(value, '{th}', to_jsonb($1::text)) where name = 'notice'`,
  },
  {
    name: 'texts:condition',
    document: () => fc.array(texts, { maxLength: 3 }),
    sql: `insert into operator_data_text values ('condition', 900 + $1::int % 90, 'a', 'b', 'c') on conflict do nothing`,
  },
  {
    name: 'banners:refund',
    document: () =>
      fc.array(
        texts.map((html) => ({ image: '', ...html, isEnabled: false })),
        { maxLength: 3 },
      ),
    sql: `update operator_data_banner set is_enabled = $1::int % 2 = 0 where kind = 'refund'`,
  },
  {
    name: 'limits',
    document: (current) =>
      fc
        .record({ hits: fc.integer({ min: 1, max: 2 ** 31 - 1 }), windowSeconds: fc.integer({ min: 1, max: 86_400 }) })
        .map((limit) => ({ ...current, 'spin.member': limit })),
    sql: `update operator_data_limit set hits = 1 + $1::int where name = 'spin.member'`,
  },
  {
    name: 'networks',
    document: () =>
      fc
        .uniqueArray(network, {
          maxLength: 4,
          selector: hostOf,
        })
        .map((networks) => networks.map((value) => ({ network: value, verdict: 'deny', note: '' }))),
    sql: `insert into operator_data_address_rule values (('9.9.' || $1::int % 250 || '.0/24')::cidr, 'deny', 'sql') on conflict do nothing`,
    isSet: true,
  },
  {
    name: 'games',
    document: (current) =>
      fc
        .tuple(
          fc.shuffledSubarray(current as Any[], { minLength: 1 }),
          fc.boolean(),
          fc.integer({ min: 1, max: 1_000_000 }),
        )
        .map(([games, inMaintenance, ftWalletSlot]) =>
          games.map((game, index) =>
            index === 0
              ? { ...game, inMaintenance, ftWalletSlot, closedUntil: inMaintenance ? '2900-12-31T17:00:00.000Z' : null }
              : game,
          ),
        ),
    sql: `update game set position = ($1::int + length(code)) % 7`,
  },
  {
    name: 'deposit-accounts',
    document: (current) =>
      fc.tuple(baht, fc.boolean()).map(([minimum, isEnabled]) => ({
        ...current,
        accounts: current.accounts.map((account: Any) =>
          account.currency === 'BAHT' ? { ...account, minimum, maximum: null, isEnabled } : account,
        ),
      })),
    sql: `update deposit_account set maximum = 100 * (1 + $1::int), minimum = null`,
  },
  {
    name: 'offer:LUCKY50',
    document: (current) =>
      fc
        .tuple(fc.option(fc.integer({ min: 0, max: 1000 })), fc.option(baht), fc.boolean(), texts)
        .map(([quota, budget, isOn, name]) => ({
          ...current,
          quota,
          isOn,
          name,
          endsAt: isOn ? '2900-01-01T00:00:00.000Z' : null,
          amounts: { ...current.amounts, BAHT: { ...current.amounts.BAHT, budget } },
        })),
    sql: `update bonus_offer set window_hours = 1 + $1::int % 8000, starts_at = now() where code = 'LUCKY50'`,
  },
];

const STEP = fc.record({
  subject: fc.constantFrom(...SUBJECTS.map(({ name }) => name)),
  kind: fc.constantFrom('apply', 'apply', 'sql', 'rollback'),
  seed: fc.integer({ min: 0, max: 100_000 }),
});

/** Documents of all versions, as `show` printed them. */
const versions = new Map<string, string[]>();
const stepCounts = new Map<string, number>();

/** Applies the document of the seed, which makes it a version of the operator. */
async function chooseDelivered(name: string): Promise<string[]> {
  const { output } = await config.run('show', name);
  assert.equal((await config.run('apply', name, config.write(output), ...SIGNATURE)).status, 0);
  return [output, output];
}

async function takeStep({ subject: name, kind, seed }: { subject: string; kind: string; seed: number }): Promise<void> {
  const subject = SUBJECTS.find((one) => one.name === name) as Subject;
  const known = versions.get(name) ?? (await chooseDelivered(name));
  versions.set(name, known);
  const before = known.at(-1) ?? '';
  if (kind === 'sql') {
    await system.database.query(subject.sql, [seed]);
  } else if (kind === 'rollback') {
    const number = 1 + (seed % known.length);
    const { status, output } = await config.run('rollback', name, String(number), ...SIGNATURE);
    assert.equal(status, 0, output);
    assert.equal((await config.run('show', name)).output, known[number - 1], `${name} version ${number}`);
  } else {
    const [sampled] = fc.sample(subject.document(JSON.parse(before)), { seed, numRuns: 1 });
    const document = JSON.parse(JSON.stringify(sampled)) as unknown;
    await config.applied(name, document, '--from', String(known.length));
    const shown = await config.show(name);
    if (!subject.isSet) assert.deepEqual(shown, document, name);
  }
  const after = (await config.run('show', name)).output;
  if (after !== before) known.push(after);
  const apply = () => config.run('apply', name, config.write(after), ...SIGNATURE);
  let repeated = await apply();
  // After a rollback to the seed, applying it chooses it.
  if (kind === 'rollback' && repeated.output.startsWith('Version ')) {
    known.push(after);
    repeated = await apply();
  }
  assert.match(repeated.output, new RegExp(`^Nothing to change: version ${known.length} of ${name} is the same\\.\n`));
  stepCounts.set(kind, (stepCounts.get(kind) ?? 0) + 1);
}

test('after any sequence of apply, SQL and rollback each version is restored exactly, and applying show changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 10, maxLength: 20 }), async (steps) => {
      for (const step of steps) await takeStep(step);
    }),
    { numRuns: 3, endOnFailure: true },
  );
  for (const [name, documents] of versions) {
    const { rows } = await system.database.query<{ version: number }>(
      'select version from config_version where subject = $1 order by version',
      [name],
    );
    assert.deepEqual(
      rows.map(({ version }) => version),
      documents.map((_, index) => index + 1),
      name,
    );
  }
  assert.deepEqual(new Set(stepCounts.keys()), new Set(['apply', 'sql', 'rollback']));
});
