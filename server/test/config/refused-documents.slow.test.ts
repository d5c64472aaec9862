import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startSystem, type System } from '../harness/system.ts';
import { type ConfigRunner, configRunner, problemsOf, SIGNATURE } from './config-fixtures.ts';

let system: System;
let config: ConfigRunner;
before(async () => {
  system = await startSystem({ simulators: false });
  config = configRunner(system);
  await config.run('list');
});
after(async () => {
  await system.stop();
  config.remove();
});

// Tests change parts of any document.
// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;

const RAW_DOCUMENTS: readonly (readonly [name: string, content: string | Uint8Array, problem: RegExp])[] = [
  ['an empty file', ' \n', /^the document: empty$/],
  ['no JSON', '{"a": 1,}', /^the document: not JSON: /],
  ['no UTF-8', Uint8Array.from([0x22, 0xff, 0x22]), /^the document: not UTF-8$/],
  ['1 MB and more', `"${'x'.repeat(1_048_576)}"`, /^the document: larger than 1048576 bytes$/],
  ['deep nesting', '['.repeat(100_000) + ']'.repeat(100_000), /^the document: nested deeper than 20 levels$/],
  ['a field twice', '{"th": "a", "la": "b", "en": "c", "th": "d"}', /^th: twice$/],
  ['NUL', '{"th": "a\\u0000", "la": "b", "en": "c"}', /^th: contains a control character/],
  ['half a surrogate pair', '{"th": "a", "la": "\\ud83d", "en": "c"}', /^la: contains a control character or half/],
  ['a number', '7', /^the document: Invalid input: expected object/],
  ['null', 'null', /^the document: Invalid input: expected object/],
  ['an unknown field', '{"th": "a", "la": "b", "en": "c", "fr": "d"}', /^fr: unknown field$/],
  ['the prototype as a field', '{"th": "a", "la": "b", "en": "c", "__proto__": {}}', /^__proto__: unknown field$/],
];

test('config apply refuses a file that is not a document of its subject with the reason, and changes nothing [R-OPS-01]', async () => {
  const { output: shown } = await config.run('show', 'setting:notice');
  for (const [name, content, problem] of RAW_DOCUMENTS) {
    const path = config.write(content);
    for (const args of [
      ['check', 'setting:notice', path],
      ['apply', 'setting:notice', path, ...SIGNATURE],
    ]) {
      const [first = '', ...others] = problemsOf(await config.run(...args));
      assert.match(first, problem, name);
      assert.deepEqual(others, [], name);
    }
  }
  assert.equal((await config.run('show', 'setting:notice')).output, shown);
});

/** A change of a valid document, and the problem that it causes. */
const WRONG_CHANGES: readonly (readonly [subject: string, change: (document: Any) => unknown, problem: RegExp])[] = [
  ['setting:withdraw', (d) => ({ ...d, BAHT: { ...d.BAHT, min: '-1.00' } }), /^BAHT\.min: must be an amount/],
  ['setting:withdraw', (d) => ({ ...d, BAHT: { ...d.BAHT, min: '๑๐๐.00' } }), /^BAHT\.min: not an amount/],
  ['setting:withdraw', (d) => ({ ...d, BAHT: { ...d.BAHT, max: '100.001' } }), /^BAHT\.max: not an amount/],
  [
    'setting:withdraw',
    (d) => ({ ...d, BAHT: { ...d.BAHT, max: `1${'0'.repeat(13)}.00` } }),
    /^BAHT\.max: not an amount/,
  ],
  ['setting:withdraw', (d) => ({ ...d, BAHT: { ...d.BAHT, max: 5 } }), /^BAHT\.max: .*expected string/],
  ['setting:withdraw', (d) => ({ ...d, LAK: { ...d.LAK, min: '50000.50' } }), /^LAK\.min: must be whole kip$/],
  ['setting:withdraw', (d) => ({ ...d, BAHT: { min: '200.00', max: '100.00' } }), /^BAHT\.max: must be at least min/],
  ['setting:withdraw', ({ BAHT }) => ({ BAHT }), /^LAK: /],
  ['setting:withdraw', (d) => ({ ...d, BAHT: { ...d.BAHT, max: '0.00' } }), /^BAHT\.max: must be more than 0\.00: /],
  ['setting:withdraw', (d) => ({ ...d, LAK: { ...d.LAK, min: '0.00' } }), /^LAK\.min: must be more than 0\.00$/],
  ['setting:contact', (d) => ({ ...d, lineLink: 'javascript:alert(1)' }), /^lineLink: must be/],
  ['setting:bankNamesLA', (d) => ({ ...d, NOBANK: 'x' }), /^NOBANK: there is no bank NOBANK$/],
  ['setting:phoneRanges', (d) => [...d, d[0]], /^\[11\]: 06xxxxxxxx twice$/],
  ['setting:slip', (d) => ({ ...d, maxMB: 11 }), /^maxMB: must be from 1 to 10$/],
  ['setting:spinwheel', (d) => ({ ...d, couponDays: 0 }), /^couponDays: /],
  ['refunds', (d) => ({ ...d, maximum: { ...d.maximum, BAHT: '0.00' } }), /^maximum\.BAHT: must be more than 0\.00: /],
  ['refunds', (d) => ({ ...d, percentFail: d.percentSuccess }), /percentFail must be below percentSuccess$/],
  ['refunds', (d) => ({ ...d, maximum: { ...d.maximum, LAK: '1.5' } }), /^maximum\.LAK: must be whole kip$/],
  ['invites', (d) => ({ ...d, percent: 0.123 }), /^percent: /],
  ['texts:condition', (d) => [{ ...d[0], la: undefined }], /^\[0\]\.la: /],
  ['banners:invite', () => [{ image: 'javascript:x', th: '', la: '', en: '' }], /^\[0\]\.image: must be a path/],
  ['banks', (d) => [...d, d[0]], /^\[\d+\]: bank KBANK twice$/],
  ['banks', (d) => [{ ...d[0], digits: [12, 10] }, ...d.slice(1)], /^\[0\]\.digits: the first must be the smaller$/],
  ['banks', (d) => d.slice(1), /^the document: KBANK is missing, but deposit-accounts has an account there$/],
  ['sources', (d) => [{ ...d[0], code: 'a b' }], /^\[0\]\.code: must match/],
  ['limits', (d) => ({ ...d, 'slip.member': undefined }), /^slip\.member: /],
  ['limits', (d) => ({ ...d, 'slip.member': { hits: 0, windowSeconds: 60 } }), /^slip\.member\.hits: /],
  ['limits', (d) => ({ ...d, 'slip.nobody': { hits: 1, windowSeconds: 60 } }), /^slip\.nobody: unknown field$/],
  ['networks', () => [{ network: '10.1.2.3/8', verdict: 'deny' }], /^\[0\]\.network: must be a network/],
  ['networks', () => [{ network: '10.0.0.0/33', verdict: 'deny' }], /^\[0\]\.network: must be a network/],
  ['networks', () => [{ network: '2001:db8::1/32', verdict: 'deny' }], /^\[0\]\.network: must be a network/],
  [
    'networks',
    () => ['2001:db8::/32', '2001:0DB8:0:0::/32'].map((network) => ({ network, verdict: 'deny' })),
    /^\[1\]: network .* twice$/,
  ],
  ['games', (d) => [...d, { ...d[0] }], /^\[\d+\]: game canal twice$/],
  ['games', (d) => [...d, { ...d[0], code: 'WALLET' }], /^\[\d+\]\.code: must not be WALLET$/],
  [
    'games',
    (d) => [...d, { ...d[0], code: 'lost', provider: 'gone' }],
    /^\[\d+\]\.provider: the outside file has no provider gone$/,
  ],
  ['games', (d) => [{ ...d[0], web: 'javascript:alert(1)' }, ...d.slice(1)], /^\[0\]\.web: must be an address/],
  ['games', (d) => [{ ...d[0], closedUntil: '0000-01-01T00:00:00Z' }], /^\[0\]\.closedUntil: /],
  ['wheel', (d) => ({ ...d, slices: [] }), /^slices: /],
  ['wheel', (d) => ({ ...d, speed: 1 }), /^speed: unknown field$/],
  [
    'wheel',
    (d) => ({ ...d, slices: [{ ...d.slices[0], prize: { kind: 'BONUS', bonus: 'NONE' } }, ...d.slices.slice(1)] }),
    /^slices\[0\]\.prize\.bonus: no offer NONE with a fixed amount in BAHT and LAK$/,
  ],
];

const ACCOUNT_CHANGES: readonly (readonly [change: (account: Any) => unknown, problem: RegExp])[] = [
  [(a) => ({ ...a, bankCode: 'NOBANK' }), /^accounts\[5\]\.bankCode: there is no bank NOBANK$/],
  [(a) => ({ ...a, currency: 'LAK' }), /^accounts\[5\]\.currency: must be BAHT$/],
  [(a) => ({ ...a, accountNo: '12345' }), /^accounts\[5\]\.accountNo: must have 10 to 10 digits at SCB$/],
  [(a) => ({ ...a, accountNo: '๔๖๘๐๐๐๑๒๓๔' }), /^accounts\[5\]\.accountNo: must be digits 0-9$/],
  [(a) => ({ ...a, accountNo: '4680009999' }), /^accounts\[5\]\.accountNo: is no account of the bank in the outside/],
  [(a) => ({ ...a, minimum: '0.00' }), /^accounts\[5\]\.minimum: must be more than 0\.00$/],
  [(a) => ({ ...a, minimum: '2.00', maximum: '1.00' }), /^accounts\[5\]\.maximum: must be at least minimum$/],
  [(a) => ({ ...a, mode: 'QR' }), /^accounts\[5\]\.mode: must be QR for PAYMENT/],
  [
    (a) => ({ ...a, bankType: 'PAYMENT', mode: 'QR', accountNo: '' }),
    /^accounts\[5\]\.bankCode: there is no gateway SCB$/,
  ],
  [(a) => ({ ...a, counted: 1 }), /^accounts\[5\]\.counted: unknown field$/],
];

test('config apply names an invalid field of each kind of subject by its path, and changes nothing [R-OPS-01]', async () => {
  const accountChanges = ACCOUNT_CHANGES.map(([change, problem]): (typeof WRONG_CHANGES)[number] => [
    'deposit-accounts',
    (d) => ({ ...d, accounts: d.accounts.map((a: Any) => (a.bankCode === 'SCB' ? change(a) : a)) }),
    problem,
  ]);
  for (const [subject, change, problem] of [...WRONG_CHANGES, ...accountChanges]) {
    const { output: shown } = await config.run('show', subject);
    const result = await config.apply(subject, change(JSON.parse(shown)));
    assert.match(problemsOf(result).join('\n'), new RegExp(problem.source, 'm'), subject);
    assert.equal((await config.run('show', subject)).output, shown, subject);
  }
  const { rows } = await system.database.query<{ n: bigint }>(
    `select count(*) as n from config_version where version > 1`,
  );
  assert.equal(rows[0]?.n, 0n);
});

test('config apply refuses an offer with invalid or contradictory terms, and names the path of each', async () => {
  const offer = await config.show<Any>('offer:WELCOME');
  for (const [change, problem] of [
    [{ code: 'OTHER' }, /^code: must be WELCOME$/],
    [{ percentFail: 300 }, /^percentFail: must be below percentSuccess$/],
    [{ kind: 'PROMOTION', maxReceived: 2 }, /^type: must be "limit" with maxReceived 1/],
    [{ percent: null }, /^amounts\.BAHT: an offer without percent has fixed/],
    [{ amounts: {} }, /^amounts: needs a currency$/],
    [{ amounts: { USD: offer.amounts.BAHT } }, /^amounts\.?.*/],
    [{ amounts: { LAK: { ...offer.amounts.LAK, rest: '1.50' } } }, /^amounts\.LAK\.rest: must be whole kip$/],
    [{ amounts: { BAHT: { ...offer.amounts.BAHT, rest: '1e3' } } }, /^amounts\.BAHT\.rest: must be an amount/],
    [{ startsAt: '2026-12-02T00:00:00+07:00', endsAt: '2026-12-01T00:00:00Z' }, /^endsAt: must be after startsAt$/],
    [{ endsAt: '0000-01-01T00:00:00Z' }, /^endsAt: /],
    [{ windowHours: 0 }, /^windowHours: /],
    [{ counted: 5 }, /^counted: unknown field$/],
  ] as const) {
    const problems = problemsOf(await config.apply('offer:WELCOME', { ...offer, ...change }));
    assert.match(problems.join('\n'), new RegExp(problem.source, 'm'));
  }
});

test('config with wrong arguments prints its usage or a sentence, and no stack trace', async () => {
  const path = config.write([]);
  for (const args of [
    [],
    ['list', 'banks'],
    ['show'],
    ['show', 'banks', 'more'],
    ['apply', 'banks', path],
    ['apply', 'banks', path, 'nok'],
    ['rollback', 'banks', '1', 'nok'],
    ['constructor', 'banks'],
  ]) {
    const { status, output } = await config.run(...args);
    assert.deepEqual(
      [status, /^(?:(?:NAME|WHY|SUBJECT|"more"|There) .*\. )?Write\n {2}krapao config list /.test(output)],
      [1, true],
      args.join(' '),
    );
  }
  for (const subject of ['setting:nothing', 'setting:refund', 'offer:', 'offer:lower', 'offer:A B', 'toString']) {
    const { status, output } = await config.run('show', subject);
    assert.deepEqual(
      [status, /^There is no subject .*: see `krapao config list`\.\n$/.test(output)],
      [1, true],
      subject,
    );
  }
  for (const [args, message] of [
    [['nok', 'why'], /^WHY needs at least five letters\. Write\n/],
    [['nok', 'a reason', 'in\ntwo lines'], /^WHY must be one line /],
    [['no name', 'a good reason'], /^NAME is one word .*, not "no name"\. Write\n/],
  ] as const) {
    const { status, output } = await config.run('apply', 'banks', path, ...args);
    assert.deepEqual([status, message.test(output)], [1, true], output);
  }
  const missing = join(path, 'missing.json');
  assert.match(
    (await config.run('check', 'banks', missing)).output,
    /missing\.json is not a folder, or is in a file instead of one \(ENOTDIR\)\.\n$/,
  );
  assert.match((await config.run('check', 'banks', '/')).output, /^\/ is a folder, not a file \(EISDIR\)\.\n$/);
});
