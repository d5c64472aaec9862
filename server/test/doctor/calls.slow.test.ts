import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { outsideWithBackend } from '../chat/chat-fixtures.ts';
import { runCommand, runCommandProcess } from '../harness/command.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Entry and field of a credential, a wrong value, and what the party replies. */
type WrongCredential = [entry: string, field: string, reply: RegExp, value?: string];

const GATEWAYS = ['bcel', 'fp', 'kbank', 'payonex', 'ww'];
const BANK_SERVICES = ['bank payouts', 'bank slips'];
const BANK_CALLS = [
  'bank SCB-4680001234',
  'bank KBANK-1238004567',
  'bank GSB-020123456789',
  'bank BCEL-010120001234567',
  ...BANK_SERVICES,
];
const PROVIDERS = 'pg askmebet joker2 betflix areaslot huayhd imi usun circus slotracha pgslot naga saming royal'.split(
  ' ',
);
const PARTIES = [
  ...GATEWAYS,
  ...BANK_CALLS.filter((name) => !BANK_SERVICES.includes(name)),
  'walletApp',
  ...BANK_SERVICES,
  'walletApp gifts',
  'sms',
  'chatBackend',
  ...PROVIDERS.map((name) => `games.${name}`),
];

let system: System;
let directory: string;
before(async () => {
  system = await startSystem({ outside: outsideWithBackend });
  directory = mkdtempSync(join(tmpdir(), 'krapao-calls-'));
  const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
});
afterEach(async () => {
  await system.simulatorsApi('DELETE /control/faults');
});
after(async () => {
  rmSync(directory, { recursive: true });
  await system.stop();
});

type Finding = { level: string; sentence: string; remedy: string };

/** The findings about calls, with one file of counterparties. */
function findingsIn(output: string): Finding[] {
  const lines = output.split('\n');
  return lines.flatMap((line, index) => {
    const [, level = '', sentence] = /^(right|WARNING|FAULT) +calls: (.*)$/.exec(line) ?? [];
    return sentence === undefined ? [] : [{ level, sentence, remedy: lines[index + 1] ?? '' }];
  });
}

async function callParties(outside: object = system.outside, options = ['--calls']): Promise<Finding[]> {
  writeOutside(join(directory, 'outside.json'), outside as System['outside']);
  const { output } = await runCommand(system, 'doctor', options, { DATA_DIR: directory, SIMULATORS: 'off' });
  return findingsIn(output);
}

/** The called parties with this result. */
const partiesOf = (findings: readonly Finding[], level: string): string[] =>
  findings.flatMap((finding) => {
    const [, party] = /^(.*?) (?:was called|accepts|replied)\b/.exec(finding.sentence) ?? [];
    return finding.level === level && party !== undefined ? [party] : [];
  });

/** A copy of the outside file with other values of fields. */
function outsideWith(changes: readonly (readonly [entry: string, field: string, value: unknown])[]): object {
  const outside = structuredClone(system.outside) as unknown as Record<string, Record<string, unknown>>;
  for (const [entry, field, value] of changes) {
    const [section = '', name] = entry.split('.');
    const target = name === undefined ? outside[section] : (outside[section]?.[name] as Record<string, unknown>);
    assert.ok(target && field in target, `${entry}.${field}`);
    target[field] = value;
  }
  return outside;
}

async function orderFaults(fault: string, targets: readonly string[]): Promise<void> {
  for (const target of targets) {
    const reply = await system.simulatorsApi('POST /control/faults', {
      body: { target, fault, call: 'any', times: 100 },
    });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
  }
}

const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

const WRONG_CREDENTIALS: readonly WrongCredential[] = [
  ['kbank', 'partnerSecret', /authentication_error/],
  ['ww', 'apiKey', /unauthorized/],
  ['fp', 'key', /code 1001/],
  ['payonex', 'secretKey', /no token: KEYS_INVALID/],
  ['bcel', 'secretKey', /UNAUTHORIZED/],
  ['bank', 'apiSecret', /401/],
  ['walletApp', 'apiKey', /HTTP 401/],
  ['sms', 'secret', /ERROR_AUTHENTICATION/],
  ['chatBackend', 'secret', /HTTP 401/],
  ['games.pg', 'secretKey', /code 1204/],
  ['games.askmebet', 'key', /code 1002/],
  ['games.joker2', 'secret', /code Invalid signature/],
  ['games.betflix', 'apiCat', /code 1001/],
  ['games.areaslot', 'key', /code E101/],
  ['games.huayhd', 'secret', /code 4001/],
  ['games.imi', 'password', /code 401/],
  ['games.usun', 'clientSecret', /login: code INVALID_CLIENT/],
  ['games.circus', 'privateKey', /code RS_ERROR_INVALID_SIGNATURE/, OTHER_KEY],
  ['games.slotracha', 'token', /code unauthenticated/],
  ['games.pgslot', 'secret', /code 1401/],
  ['games.naga', 'secret', /code BAD_SIGN/],
  ['games.saming', 'merchant', /code BAD_SIGN/],
  ['games.royal', 'key', /code 1\./],
];
const WRONG_VALUE = 'a-wrong-value-of-this-field';

test('doctor --calls proves every counterparty by a call that changes nothing, and reports others as not provable [R-OPS-05]', async () => {
  const totalsBefore = await system.simulatorsApi('GET /control/totals');
  const findings = await callParties();
  assert.deepEqual(partiesOf(findings, 'right'), PARTIES);
  assert.deepEqual(
    findings
      .filter(({ level }) => level !== 'right')
      .map(({ level, sentence }) => `${level} ${sentence.slice(0, sentence.indexOf(':'))}`),
    ['WARNING push is not provable', 'WARNING games.askmebet.agent is not provable'],
  );
  const { body: calls } = await system.simulatorsApi('GET /control/calls?limit=1000');
  const made = new Set((calls as { target: string; call: string }[]).map(({ call }) => call));
  const changing =
    /create|issue|^qr_|cancel|close|payouts|send|messages|redeem|deposit|withdraw|transfer|member$|^[CST][UPC]$/i;
  assert.deepEqual(
    [...made].filter((call) => changing.test(call)),
    [],
  );
  assert.deepEqual((await system.simulatorsApi('GET /control/totals')).body, totalsBefore.body);
  assert.deepEqual(await callParties(system.outside, []), [], 'nothing is called without --calls');
});

test('a wrong credential at a party of each kind is a fault with its reply, and the others are right [R-OPS-05]', async () => {
  const findings = await callParties(
    outsideWith(WRONG_CREDENTIALS.map(([entry, field, , value = WRONG_VALUE]) => [entry, field, value])),
  );
  // Gift links need no credentials.
  assert.deepEqual(partiesOf(findings, 'right'), ['walletApp gifts']);
  for (const [entry, field, reply] of WRONG_CREDENTIALS) {
    const fault = findings.find(
      ({ level, sentence }) => level === 'FAULT' && new RegExp(`^${entry.replace('.', '\\.')}\\b`).test(sentence),
    );
    assert.match(fault?.sentence ?? `no fault of ${entry}.${field}`, reply);
    assert.match(fault?.remedy ?? '', new RegExp(`→ Compare ${entry} of the outside file .*outside-calls\\.md`));
    assert.ok(!JSON.stringify(fault).includes(WRONG_VALUE), 'no credential is shown');
  }
  const one = await callParties(outsideWith([['fp', 'key', WRONG_VALUE]]));
  assert.deepEqual(partiesOf(one, 'FAULT'), ['fp']);
  assert.deepEqual(
    partiesOf(one, 'right'),
    PARTIES.filter((party) => party !== 'fp'),
  );
});

test('silent counterparties are faults with their time-out of 5 s, and doctor ends within 30 s [R-OPS-05]', async () => {
  const silent = ['kbank', 'payonex', 'bank', 'sms', 'chat-backend', 'game:pg', 'game:usun'];
  await orderFaults('timeout-lost', silent);
  writeOutside(
    join(directory, 'outside.json'),
    outsideWith([['kbank', 'timeoutMs', 60_000]]) as unknown as System['outside'],
  );
  const startedAt = performance.now();
  const environment = { DATA_DIR: directory, SIMULATORS: 'off' };
  const { output, status } = await runCommandProcess(system, 'doctor', ['--calls'], environment);
  assert.ok(performance.now() - startedAt < 30_000, `took ${performance.now() - startedAt} ms`);
  assert.equal(status, 1);
  const findings = findingsIn(output);
  const silentParties = ['kbank', 'payonex', ...BANK_CALLS, 'sms', 'chatBackend', 'games.pg', 'games.usun'];
  assert.deepEqual(partiesOf(findings, 'FAULT'), silentParties);
  for (const { sentence, remedy } of findings.filter(({ level }) => level === 'FAULT')) {
    assert.match(remedy, /→ Check its address and the firewall, .*alerts\.md#krapaocounterpartysilent\.$/);
    assert.match(sentence, /no answer within (?:4\d{3}|5000|5500) ms|no login in time/);
  }
  assert.deepEqual(
    partiesOf(findings, 'right'),
    PARTIES.filter((party) => !silentParties.includes(party)),
  );
});

test('counterparties that reply with garbage are faults [R-OPS-05]', async () => {
  const games = PROVIDERS.map((name) => `game:${name}`);
  await orderFaults('garbage', [...GATEWAYS, 'bank', 'wallet-app', 'sms', 'chat-backend', ...games]);
  const findings = await callParties();
  assert.deepEqual(partiesOf(findings, 'FAULT'), PARTIES);
  for (const { sentence } of findings.filter(({ level }) => level === 'FAULT')) {
    assert.match(sentence, /not JSON|malformed reply|unreadable reply|not an answer/);
  }
});

test('a party that is closed or lacks a harmless call is not provable; without an outside file no party is right [R-OPS-05]', async () => {
  await system.simulatorsApi('POST /control/settings', { body: { games: { royal: { maintenance: true } } } });
  const noSuchCall = `${system.simulatorsUrl}/nowhere`;
  const findings = await callParties(outsideWith([['chatBackend', 'url', noSuchCall]]));
  await system.simulatorsApi('POST /control/settings', { body: { games: { royal: { maintenance: false } } } });
  const sentences = findings.filter(({ level }) => level === 'WARNING').map(({ sentence }) => sentence);
  assert.ok(
    sentences.some((sentence) => sentence.startsWith('games.royal is not provable now: it is closed')),
    sentences.join(),
  );
  assert.ok(
    sentences.some((sentence) => sentence.startsWith('chatBackend is not provable now: HTTP 404')),
    sentences.join(),
  );
  rmSync(join(directory, 'outside.json'));
  const { output } = await runCommand(system, 'doctor', ['--calls'], { DATA_DIR: directory, SIMULATORS: 'off' });
  assert.deepEqual(
    findingsIn(output).map(({ level }) => level),
    ['FAULT'],
  );
});
