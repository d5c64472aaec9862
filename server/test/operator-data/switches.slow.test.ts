import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { openGame } from '../harness/games.ts';
import { newPhone, registerMember, registrationBody, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet, readBalance } from '../harness/money.ts';
import { waitForSettingsReload } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  readWithdrawalRow,
  setPayoutDelay,
  waitForState,
  withdraw,
} from '../withdraw/payout-fixtures.ts';

let system: System;
let ledger: Ledger;
let member: TestMember;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 50);
  member = await registerMember(system);
  await fundWallet(ledger, member.id, '5000.00');
});
afterEach(async () => {
  await system.database.query('delete from operator_data_switch');
  await waitForSettingsReload();
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const run = (...args: string[]): Promise<CommandResult> => runCommand(system, 'switches', args);
async function turn(action: 'stop' | 'start', name: string): Promise<void> {
  const { status, output } = await run(action, name, 'anna', 'tested', 'by', 'hand');
  assert.deepEqual(
    [status, output],
    [0, `${name} is ${action === 'stop' ? 'stopped' : 'no longer stopped'}, by operator:anna.\n`],
  );
  await waitForSettingsReload();
}
const get = async (path: string, token?: string) =>
  (await system.api(`GET /api/${path}`, token === undefined ? {} : { token })).body;

test('switches logs who stopped and started what and why, and refuses repetitions, unknown names and missing reasons', async () => {
  await turn('stop', 'withdraw.request');
  const { output } = await run();
  assert.match(
    output,
    /^withdraw\.request +New withdrawals: STOPPED \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+07:00 by operator:anna: tested by hand$/m,
  );
  assert.match(output, /^game:pg .*: not stopped\n(?:.*\n)*1 of \d+ stopped\n$/m);
  assert.deepEqual(await run('list'), { status: 0, output });
  assert.deepEqual(await run('stop', 'withdraw.request', 'bob', 'once more'), {
    status: 1,
    output: 'withdraw.request is stopped already: see `krapao switches`.\n',
  });
  for (const name of ['withdraw', 'game:none', 'game:', 'deposit.qrcode:SCB', "x'; drop table member", '๑']) {
    assert.deepEqual(await run('stop', name, 'bob', 'because of this'), {
      status: 1,
      output: `There is no switch ${name}: see \`krapao switches\`.\n`,
    });
  }
  for (const [args, named] of [
    [['stop'], /^SWITCH is missing\. Write `krapao switches` /],
    [['stop', 'site'], /^NAME and WHY are missing\. Write /],
    [['stop', 'site', 'bob', 'why'], /^WHY needs at least five letters\. Write /],
    [['halt'], /^There is no action "halt"\. Write /],
  ] as const) {
    const { status, output: usage } = await run(...args);
    assert.equal(status, 1);
    assert.match(usage, named);
  }
  await turn('start', 'withdraw.request');
  assert.deepEqual(await run('start', 'withdraw.request', 'bob', 'once more'), {
    status: 1,
    output: 'withdraw.request is not stopped: see `krapao switches`.\n',
  });
  assert.equal((await run('start', 'refund', 'bob', 'never stopped')).status, 1);
  const log = await runCommand(system, 'operator-log', ['withdraw.request']);
  assert.equal(log.output.split('\n').filter((line) => /anna +switches (stop|start)/.test(line)).length, 2);
  assert.doesNotMatch(log.output, /bob/);
});

test('of two concurrent stops of one switch, one is applied and logged, and the other refused', async () => {
  const countStops = async () =>
    (await runCommand(system, 'operator-log', ['chat'])).output.match(/ switches stop /g)?.length ?? 0;
  const stopsBefore = await countStops();
  const results = await Promise.all(['anna', 'bob'].map((by) => run('stop', 'chat', by, 'flooded by robots')));
  assert.deepEqual(
    results.map(({ status }) => status).toSorted((first, second) => first - second),
    [0, 1],
  );
  assert.equal(await countStops(), stopsBefore + 1);
});

test('stopped withdrawals are refused WITHDRAW_STOPPED, and an earlier key returns its first reply', async () => {
  const first = await withdraw(system, member, 200, 'before-the-stop');
  await turn('stop', 'withdraw.request');
  assertRefused(await withdraw(system, member, 200, 'after-the-stop'), 'NO_BANK', 'WITHDRAW_STOPPED');
  const replay = await withdraw(system, member, 200, 'before-the-stop');
  assert.deepEqual([replay.status, replay.body], [200, first.body]);
  await waitForState(system, first.body.reference, 'PAID');
  await turn('start', 'withdraw.request');
  const next = await withdraw(system, member, 200, 'after-the-stop');
  assert.equal(next.status, 200);
  await waitForState(system, next.body.reference, 'PAID');
});

test('a withdrawal stays held and unsent while sending is stopped, and is paid once after the start', async () => {
  const { held: heldBefore } = await readBalance(ledger, member.id, 'WALLET');
  assert.equal(heldBefore, '0.00');
  await turn('stop', 'withdrawals.send');
  const { body } = await withdraw(system, member, 300);
  await waitForSettingsReload();
  await waitForSettingsReload();
  const row = await readWithdrawalRow(system, body.reference);
  assert.deepEqual([row.state, row.isHeld, row.attempts], ['HELD', true, 0]);
  assert.equal((await readBalance(ledger, member.id, 'WALLET')).held, '300.00');
  const metrics = await waitUntil(
    async () => (await fetch(`${system.url}/metrics`)).text(),
    (text) => text.includes('krapao_queue_items{queue="withdraw",waits_for="operator"} 1'),
    'the withdrawal waits for an operator',
  );
  assert.match(metrics, /krapao_queue_items\{queue="withdraw",waits_for="resolver"\} 0/);
  await turn('start', 'withdrawals.send');
  assert.equal((await waitForState(system, body.reference, 'PAID')).attempts, 1);
  await assertPaidOnce(system);
});

test('a stopped gateway creates no new codes and is shown as closed; its open code is credited when paid', async () => {
  const customer = qrCustomer(system, member);
  const { body: openCode } = await customer.create(150);
  await turn('stop', 'deposit.qrcode:KBANK');
  const other = await registerMember(system);
  assertRefused(await qrCustomer(system, other).create(150), 'NO_BANK', 'STOPPED');
  const bankOf = async (code: string) =>
    (await get('lookup/deposit')).banks.find(
      (bank: { bankCode: string; bankType: string }) => bank.bankCode === code && bank.bankType === 'PAYMENT',
    );
  assert.equal((await bankOf('KBANK')).isStopped, true);
  assert.equal('isStopped' in (await bankOf('WW')), false);
  const { ways } = await get('deposit/advice', member.token);
  assert.equal(ways.find(({ id }: { id: string }) => id === 'qr KBANK').isOpen, false);
  assert.equal((await customer.current()).body.qrcodeId, openCode.qrcodeId);
  await customer.pay(openCode.payload);
  await waitUntil(customer.deposits, (amounts) => amounts.includes(openCode.amount), 'the open code is credited');
  await turn('start', 'deposit.qrcode:KBANK');
  assert.equal((await qrCustomer(system, other).create(150)).body.hasQrcode, true);
});

test('stopped bank accounts, wallet app, slips and gift links are not offered and refused', async () => {
  const offeredKinds = async (): Promise<{ banks: string[]; wallets: unknown[]; isManual: boolean }> => {
    const { banks, wallets, isManual } = await get('lookup/deposit');
    const codes = banks.filter(({ bankType }: { bankType: string }) => bankType === 'BANK');
    return { banks: codes.map(({ bankCode }: { bankCode: string }) => bankCode), wallets, isManual };
  };
  assert.ok((await offeredKinds()).banks.includes('SCB'));
  const announce = () => system.api('POST /api/wallet/add', { token: member.token, body: { amount: 100 } });
  for (const name of ['deposit.bank-transfer:SCB', 'deposit.wallet-app', 'deposit.truelink', 'deposit.slip']) {
    assert.equal((await run('stop', name, 'anna', 'tested by hand')).status, 0);
  }
  await waitForSettingsReload();
  const { banks, ...others } = await offeredKinds();
  assert.deepEqual(
    [banks.includes('SCB'), banks.includes('GSB'), others],
    [false, true, { wallets: [], isManual: false }],
  );
  const form = new FormData();
  form.set('file', new Blob(['x']), 'slip.jpg');
  const slip = await fetch(`${system.url}/api/wallet/slip`, {
    method: 'POST',
    headers: { authorization: `Bearer ${member.token}`, 'x-requested-with': 'XMLHttpRequest' },
    body: form,
  });
  assert.deepEqual([slip.status, await slip.json()], [503, { message: 'SLIP_UPLOAD_FAIL', detail: 'STOPPED' }]);
  const gift = await system.api('POST /api/wallet/truelink', { token: member.token, body: { link: 'x' } });
  assertRefused(gift, 'NO_WALLET', 'STOPPED');
  assert.equal((await run('stop', 'deposit.bank-transfer', 'anna', 'tested by hand')).status, 0);
  await waitForSettingsReload();
  assert.deepEqual((await offeredKinds()).banks, []);
  assert.equal((await announce()).body.message, 'NO_BANK');
});

test('a stopped game or provider is in maintenance; lobby:CODE hides a game from members without money in it', async () => {
  const gameOf = async (code: string) =>
    (await get('wallet', member.token)).slots.find((slot: { code: string }) => slot.code === code);
  await openGame(system, member.token, 'pg');
  await turn('stop', 'game:pg');
  assert.equal((await gameOf('pg')).inMaintenance, true);
  const move = () =>
    system.api('POST /api/wallet/transfer', { token: member.token, body: { from: 'WALLET', to: 'pg', amount: 10 } });
  assertRefused(await move(), 'GAME_ACTIVATION_FAIL', 'MAINTENANCE');
  await turn('start', 'game:pg');
  assert.equal((await move()).status, 200);
  await turn('stop', 'provider:pg');
  assert.equal((await gameOf('pg')).inMaintenance, true);
  assert.equal((await gameOf('royal')).inMaintenance, false);
  await turn('stop', 'lobby:pg');
  await turn('stop', 'lobby:royal');
  assert.equal((await gameOf('pg')).isHidden, true, 'its money can be moved back');
  assert.equal(await gameOf('royal'), undefined);
});

test('stopped registration sends no code and creates no member; stopped `otp.strangers` sends none to strangers', async () => {
  const body = registrationBody();
  const send = (phoneNumber: string) => system.api('POST /api/otp/send', { body: { phoneNumber } });
  await turn('stop', 'register');
  assertRefused(await send(newPhone()), 'OTP_SEND_FAIL', 'REGISTER_STOPPED');
  assertRefused(await system.api('POST /api/account/validate', { body }), 'REGISTER_FAIL', 'REGISTER_STOPPED');
  assertRefused(await system.api('POST /api/account', { body }), 'REGISTER_FAIL', 'REGISTER_STOPPED');
  await turn('start', 'register');
  await system.database.query('delete from otp_known');
  await turn('stop', 'otp.strangers');
  assertRefused(await send(newPhone()), 'OTP_BLOCK');
  await turn('start', 'otp.strangers');
  assert.equal((await send(newPhone())).status, 200);
});

test('site, chat, refunds, invites and spins are closed while stopped, and their settings stay', async () => {
  for (const name of ['chat', 'refund', 'invite', 'spinwheel']) {
    assert.equal((await run('stop', name, 'anna', 'tested by hand')).status, 0);
  }
  await waitForSettingsReload();
  assert.deepEqual(await get('lookup/enableChatWidget'), { enableChatWidget: false });
  assert.equal((await get('spinwheel/active', member.token)).isActive, false);
  assertRefused(await system.api('GET /api/refund/receive', { token: member.token }), 'REFUND_INACTIVE');
  await turn('stop', 'site');
  assert.deepEqual(await get('lookup/active'), { terminated: 'gone' });
  assert.equal((await system.api('GET /api/wallet', { token: member.token })).status, 410);
  const { rows } = await system.database.query(
    `select value from operator_data_setting where name in ('status', 'chat')`,
  );
  assert.deepEqual(rows, [{ value: { terminated: '' } }]);
  await turn('start', 'site');
  assert.equal((await system.api('GET /api/wallet', { token: member.token })).status, 200);
});
