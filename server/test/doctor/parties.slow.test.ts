import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { selectGames } from '../../src/modules/game/index.ts';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { runCommand } from '../harness/command.ts';
import { registerMember, registrationBody, logIn } from '../harness/members.ts';
import { createTestLedger } from '../harness/money.ts';
import { setSettings } from '../harness/operator.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { depositToWallet, newPlayer } from '../harness/playing-member.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

type OutsideFile = Record<string, unknown> & { games: Record<string, unknown> };

let system: System;
let directory: string;
before(async () => {
  system = await startSystem();
  directory = mkdtempSync(join(tmpdir(), 'krapao-parties-'));
  const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
});
after(async () => {
  rmSync(directory, { recursive: true });
  await system.stop();
});

/** The outside file of the system without an entry: `sms`, `games.pg`, `bank.accounts.SCB`. */
function outsideWithout(...entries: string[]): System['outside'] {
  const outside = structuredClone(system.outside) as unknown as OutsideFile;
  for (const entry of entries) {
    const [section = '', name, code] = entry.split('.');
    if (section === 'games' && name !== undefined) delete outside.games[name];
    else if (code === undefined) delete outside[section];
    else {
      const bank = outside['bank'] as { accounts: { bankCode: string }[] };
      bank.accounts = bank.accounts.filter(({ bankCode }) => bankCode !== code);
    }
  }
  return outside as unknown as System['outside'];
}

/** Findings of the doctor about counterparties, in production. */
async function runDoctor(outside: System['outside']): Promise<string> {
  writeOutside(join(directory, 'outside.json'), outside);
  const { output } = await runCommand(system, 'doctor', [], { DATA_DIR: directory, SIMULATORS: 'off' });
  return output.split('\n').reduce((text, line, index, lines) => {
    return / counterparties: /.test(line) ? `${text}${line}\n${lines[index + 1] ?? ''}\n` : text;
  }, '');
}

/** Starts the server in production. @returns what it refuses with, or what members are offered */
async function startWithout(entry: string) {
  const outside = outsideWithout(entry);
  try {
    const server = await startServerProcess({ databaseUrl: system.databaseUrl, outside });
    try {
      const api = apiClient(server.url);
      const [deposit, games] = await Promise.all([api('GET /api/lookup/deposit'), api('GET /api/lookup/games')]);
      const log = entry === 'push' ? '' : await server.waitForLog(/"check":"demo values"/);
      return { deposit: JSON.stringify(deposit.body), games: JSON.stringify(games.body), log };
    } finally {
      await server.stop();
    }
  } catch (error) {
    return { refusal: (error as Error).message };
  }
}

const GATEWAYS = { kbank: 'KBANK', ww: 'WW', fp: 'FP', payonex: 'PAYONEX', bcel: 'BCEL' };
const BANK_ACCOUNTS = { SCB: '4680001234', KBANK: '1238004567', GSB: '020123456789', BCEL: '010120001234567' };
const PROVIDERS = 'pg askmebet joker2 betflix areaslot huayhd imi usun circus slotracha pgslot naga saming royal'.split(
  ' ',
);

test('a complete outside file has a party for every deposit method and game', async () => {
  assert.match(await runDoctor(system.outside), /^right +counterparties: The outside file has the party of every/);
});

for (const [entry, code] of Object.entries(GATEWAYS)) {
  test(`without ${entry} in the outside file the server starts, members do not see the gateway, and doctor says so [R-OPS-02]`, async () => {
    const { deposit = '', log = '', refusal } = await startWithout(entry);
    assert.equal(refusal, undefined);
    assert.doesNotMatch(deposit, new RegExp(`"bankCode":"${code}","bankType":"PAYMENT"`));
    const sentence = `The gateway ${code} is enabled for ${code === 'BCEL' ? 'LAK' : 'BAHT'}, but not in the outside file`;
    assert.ok(log.includes(sentence), log);
    const output = await runDoctor(outsideWithout(entry));
    assert.match(
      output,
      new RegExp(
        `^FAULT +counterparties: ${sentence}: members do not see it\\.\\n +→ .*config apply deposit-accounts`,
        'm',
      ),
    );
  });
}

for (const [bankCode, accountNo] of Object.entries(BANK_ACCOUNTS)) {
  test(`without the account at ${bankCode} in the outside file no member is shown it, and doctor says so [R-OPS-02]`, async () => {
    const { deposit = '', log = '', refusal } = await startWithout(`bank.accounts.${bankCode}`);
    assert.equal(refusal, undefined);
    assert.ok(!deposit.includes(accountNo), deposit);
    assert.match(log, new RegExp(`The account ${bankCode} ${accountNo}`));
    const output = await runDoctor(outsideWithout(`bank.accounts.${bankCode}`));
    assert.match(output, new RegExp(`^FAULT .*The account ${bankCode} ${accountNo} .* members do not see it`, 'm'));
  });
}

test('without games in the outside file members see none, and doctor names every provider', async () => {
  const { games = '', log = '', refusal } = await startWithout('games');
  assert.equal(refusal, undefined);
  assert.equal(games, '{"games":[]}');
  for (const provider of PROVIDERS)
    assert.match(log, new RegExp(`the provider ${provider} is not in the outside file`));
});

for (const provider of PROVIDERS) {
  test(`without ${provider} in the outside file doctor names its games [R-OPS-02]`, async () => {
    const output = await runDoctor(outsideWithout(`games.${provider}`));
    const { rows } = await system.database.query<{ codes: string }>(
      `select string_agg(code, ', ' order by position, code) as codes from game where provider = $1`,
      [provider],
    );
    const sentence = `FAULT    counterparties: ${rows[0]?.codes ?? ''}: the provider ${provider} is not in the outside file`;
    assert.ok(output.startsWith(sentence), output);
    assert.equal(output.match(/FAULT|WARNING/g)?.length, 1, output);
  });
}

test('without the wallet app in the outside file no member is shown its phone, and doctor says so', async () => {
  const { deposit = '', refusal } = await startWithout('walletApp');
  assert.equal(refusal, undefined);
  assert.ok(!deposit.includes('0800000001'), deposit);
  assert.match(await runDoctor(outsideWithout('walletApp')), /^FAULT .*The wallet-app account 0800000001 \(AUTO\)/m);
});

test('without push in the outside file the server starts', async () => {
  assert.equal((await startWithout('push')).refusal, undefined);
});

test('the start without a bank in the outside file is refused with what needs it', async () => {
  const { refusal = '' } = await startWithout('bank');
  assert.match(
    refusal,
    /outside\.json is wrong at bank \(missing, but withdrawals are paid and slips looked up there\)\.\n$/,
  );
});

test('the start without SMS is refused while registration sends codes; otherwise several parties may be missing', async () => {
  const { refusal = '' } = await startWithout('sms');
  assert.match(
    refusal,
    /The outside file has no sms, but registration sends codes by SMS\. .*config apply setting:registerOTP/,
  );
  assert.doesNotMatch(refusal, /\n +at /);
  assert.match(
    await runDoctor(outsideWithout('sms')),
    /^FAULT .*The outside file has no sms, but registration sends codes/m,
  );
  await setSettings(system, { registerOTP: false });
  const outside = outsideWithout('sms', 'kbank', 'walletApp', 'bank.accounts.GSB', 'games.royal');
  const server = await startServerProcess({ databaseUrl: system.databaseUrl, outside });
  try {
    const production = { ...system, api: apiClient(server.url) };
    const registration = registrationBody({});
    const created = await production.api('POST /api/account', { body: registration });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const token = await logIn(production, registration['username'] ?? '', registration['password'] ?? '');
    const bank = {
      bankCode: 'SCB',
      bankAccountNo: registration['bankAccountNo'] ?? '',
      bankAccountName: 'SOMJAI DEEMAK',
    };
    const member = { token, id: created.body.profile._id, phone: '', password: '', ...bank };
    const sent = await production.api('POST /api/otp/send', { body: { phoneNumber: registration['username'] } });
    assert.deepEqual([sent.status, sent.body.message], [502, 'OTP_SEND_FAIL'], JSON.stringify(sent.body));
    const kbank = await qrCustomer(production, member, 'KBANK').create(100);
    assert.equal(kbank.body.message, 'NO_BANK', JSON.stringify(kbank.body));
    const customer = qrCustomer(production, member, 'WW');
    const code = await customer.create(100);
    await customer.pay(code.body.payload);
    await waitUntil(customer.deposits, (amounts) => amounts.length === 1, 'the deposit by WW');
    const advice = await production.api('GET /api/deposit/advice', { token });
    const recommended = JSON.stringify(advice.body.ways);
    assert.match(recommended, /qr[^"]*WW.*4680001234/);
    assert.doesNotMatch(recommended, /qr[^"]*KBANK|020123456789|0800000001/);
    const wallet = await production.api('GET /api/wallet', { token });
    const providers = new Map((await selectGames(system.database)).map((game) => [game.code, game.provider]));
    const shown = (wallet.body.slots as { code: string }[]).map(({ code: gameCode }) => providers.get(gameCode));
    assert.ok(shown.includes('pg') && !shown.includes('royal'), JSON.stringify(shown));
  } finally {
    await server.stop();
    await setSettings(system, { registerOTP: true });
  }
});

test("a gateway with payable codes, and a provider with members' money, cannot be removed from the outside file", async () => {
  const member = await registerMember(system);
  const code = await qrCustomer(system, member, 'FP').create(100);
  assert.equal(code.status, 200);
  const gateway = await startWithout('fp');
  assert.match(
    gateway.refusal ?? '',
    /The outside file has no fp, but 1 of its QR codes may still be paid\. Put it back/,
  );
  assert.match(await runDoctor(outsideWithout('fp')), /^FAULT .*no fp, but 1 of its QR codes may still be paid/m);
  const ledger = createTestLedger(system);
  await depositToWallet(system, ledger, await newPlayer(system, 'pg'), 100);
  await ledger.close();
  const provider = await startWithout('games.pg');
  assert.match(provider.refusal ?? '', /no games\.pg, but 1 game accounts there have money, open or unknown bets/);
  const opening = await newPlayer(system, 'imi');
  const setAccount = (assignments: string) =>
    system.database.query(`update game_account set ${assignments} where member_id = $1`, [opening.id]);
  const refusedProvider = /no games\.imi, but 1 game accounts there .*are being opened/;
  await setAccount(`state = 'OPENING', activated_at = null`);
  assert.match(await runDoctor(outsideWithout('games.imi')), refusedProvider);
  await setAccount(`state = 'ACTIVE', activated_at = now(), are_bets_known = false`);
  assert.match(await runDoctor(outsideWithout('games.imi')), refusedProvider);
  await setAccount('are_bets_known = true');
});

test('doctor warns of accounts, gateways, games and a wallet app that nothing offers, and of another holder', async () => {
  await system.database.query(
    `update deposit_account set account_name = 'OTHER' where bank_code = 'KBANK' and bank_type = 'BANK'`,
  );
  await system.database.query(`update deposit_account set is_enabled = false where bank_code in ('WW', 'GSB', 'SCB')`);
  await system.database.query(`update deposit_wallet_app set is_enabled = false`);
  await system.database.query(`update game set is_hidden = true where provider = 'royal'`);
  const output = await runDoctor(system.outside);
  assert.match(output, /^WARNING .*The gateway WW of the outside file is not enabled/m);
  assert.match(output, /^WARNING .*The account GSB 020123456789 BAHT of the outside file is no deposit method/m);
  assert.match(output, /^WARNING .*KBANK 1238004567 as "OTHER", the outside file has "KRAPAO COMPANY LIMITED"/m);
  assert.match(output, /^WARNING .*The wallet app of the outside file is not enabled/m);
  assert.match(output, /^WARNING .*No visible game is of the provider royal/m);
  assert.doesNotMatch(output, /FAULT|SCB 4680001234/, 'the first account of a currency sends payouts');
});
