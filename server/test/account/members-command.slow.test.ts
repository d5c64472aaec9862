import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { openGame } from '../harness/games.ts';
import { newAccountNo, newPhone, registerMember, registrationBody, type TestMember } from '../harness/members.ts';
import { waitForSettingsReload } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

const NOBODY = '01980f2c-0000-7000-8000-000000000000';

let system: System;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system, { name: 'Malee' });
});
after(() => system?.stop());

const run = (...args: string[]): Promise<CommandResult> => runCommand(system, 'members', args);
const logOf = async (subject: string) => (await runCommand(system, 'operator-log', [subject])).output;
const readWallet = () => system.api('GET /api/wallet', { token: member.token });
const logIn = (password = member.password) =>
  system.api('POST /api/login', { body: { username: member.phone, password } });
const codeOf = async (): Promise<string> => (await run('show', member.id)).output.split('  ')[2] ?? '';

test('krapao members finds a member by phone, id or code, with status, wallet, bank account and sessions', async () => {
  const { status, output } = await run('show', member.id);
  const code = await codeOf();
  assert.equal(status, 0);
  assert.match(output, new RegExp(`^${member.phone}  ${member.id}  [0-9A-Z]{8}  Malee  BAHT\n`));
  assert.match(
    output,
    /\nregistered \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+07:00, open sessions: 1\nstatus: active\nwallet: open\n/,
  );
  assert.ok(output.includes(`bank account: ${member.bankCode} ${member.bankAccountNo} ${member.bankAccountName}\n`));
  const thaiDigits = member.phone.replaceAll(/\d/g, (digit) => '๐๑๒๓๔๕๖๗๘๙'[Number(digit)] ?? digit);
  for (const text of [member.phone, `+66 ${member.phone.slice(1)}`, thaiDigits, code, code.toLowerCase()]) {
    assert.equal((await run('show', text)).output, output, text);
  }
  for (const text of [newPhone(), NOBODY, 'ZZZZZZZZ', "' or true --", '%', 'x'.repeat(10_000)]) {
    assert.deepEqual(await run('show', text), {
      status: 1,
      output: `NO_USER: no member has the phone, id or code ${text}.\n`,
    });
  }
});

test('a wrong or missing argument of krapao members is named before the usage, and changes nothing', async () => {
  for (const [args, named] of [
    [[], ''],
    [['show'], 'MEMBER is missing. '],
    [['show', member.id, 'more'], '"more" is one argument too many. '],
    [['hide', member.id], 'There is no action "hide". '],
    [['constructor', member.id], 'There is no action "constructor". '],
    [['status'], 'MEMBER is missing. '],
    [
      ['status', member.id, 'gone', 'anna', 'because of this'],
      'The status is one of active, inactive, restricted, deleted, not "gone". ',
    ],
    [
      ['status', member.id, 'restricted', 'anna', 'because of this'],
      'The reason of a restriction is one of TIME_OUT, SELF_EXCLUDED, CLOSED, LIMIT_REACHED, not "anna". ',
    ],
    [['status', member.id, 'restricted'], 'The reason of a restriction is missing. '],
    [['status', member.id, 'inactive', 'anna', 'why'], 'WHY needs at least five letters. '],
    [['wallet', member.id, 'shut', 'anna', 'because of this'], 'The change is one of close, open, not "shut". '],
    [
      ['wallet', member.id, 'close', 'no name!', 'because of this'],
      'NAME is one word of at most 40 letters, digits, dots, underscores and hyphens, not "no name!". ',
    ],
    [['unlock', member.id], 'NAME and WHY are missing. '],
    [['invites', member.id, 'block', 'anna'], 'WHY needs at least five letters. '],
  ] as const) {
    const { status, output } = await run(...args);
    assert.equal(status, 1);
    const usage = output.slice(named.length);
    assert.equal(output.slice(0, named.length), named);
    assert.match(usage, /^Write one of these; .* WHY a reason:\n(?: {2}`krapao members .*`\n){8}$/);
  }
  for (const [args, named] of [
    [['block'], /^BANK is missing\. Write `krapao bank-accounts`/],
    [['block', 'SCB'], /^NUMBER is missing\. Write /],
    [['block', 'SCB', '12x', 'anna', 'because'], /^NUMBER is at most 40 digits, not "12x"\. Write /],
    [['block', 'SCB', '1234567890', 'anna', 'why'], /^WHY needs at least five letters\. Write /],
    [['hide'], /^There is no action "hide"\. Write /],
  ] as const) {
    const { status, output } = await runCommand(system, 'bank-accounts', args);
    assert.equal(status, 1);
    assert.match(output, named);
  }
  assert.equal((await readWallet()).status, 200);
  assert.doesNotMatch(await logOf(member.id), /anna/);
});

test('a restricted status refuses sessions and logins with its reason until the member is active again, and is logged', async () => {
  const change = (...args: string[]) => run('status', member.phone, ...args);
  const { output } = await change('inactive', 'anna', 'asked for a pause');
  assert.equal(output, `${member.id} (${member.phone}) Malee: active → inactive, by operator:anna.\n`);
  assertRefused(await readWallet(), 'INVALID_USER_2', 'DEACTIVATED');
  assertRefused(await logIn(), 'INACTIVE_USER');
  assert.deepEqual(await change('inactive', 'bob', 'asked for a pause'), {
    status: 1,
    output: `Member ${member.id} is inactive already.\n`,
  });
  const restricted = await change('restricted', 'TIME_OUT', 'anna', 'asked for a pause');
  assert.ok(restricted.output.includes('Malee: inactive → restricted TIME_OUT'));
  assertRefused(await readWallet(), 'INVALID_USER_4', 'TIME_OUT');
  assert.match((await run('show', member.phone)).output, /^status: restricted TIME_OUT$/m);
  assert.equal((await change('deleted', 'anna', 'asked to be deleted')).status, 0);
  assertRefused(await readWallet(), 'INVALID_USER_1', 'GONE');
  assertRefused(await logIn(), 'WRONG_CREDENTIAL');
  assert.equal((await change('active', 'anna', 'deleted by mistake')).status, 0);
  assert.equal((await readWallet()).status, 200);
  const log = await logOf(member.id);
  assert.match(log, /anna +members status restricted TIME_OUT .*asked for a pause/);
  assert.equal(log.split('\n').filter((line) => line.includes('members status')).length, 4);
  assert.ok(!log.includes('bob'));
});

test('a closed wallet refuses NO_WALLET until it is opened; of two concurrent closings one is refused', async () => {
  const turn = (action: string, by = 'anna') => run('wallet', member.phone, action, by, 'reversed at the gateway');
  const results = await Promise.all([turn('close'), turn('close')]);
  assert.deepEqual(
    results.map(({ status }) => status).toSorted((first, second) => first - second),
    [0, 1],
  );
  assert.deepEqual(await turn('close'), {
    status: 1,
    output: `The wallet of member ${member.id} is closed already.\n`,
  });
  const withdraw = () => system.api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 100 } });
  assertRefused(await withdraw(), 'NO_WALLET', 'SUSPENDED');
  assert.match((await run('show', member.phone)).output, /^wallet: closed \d.*: reversed at the gateway$/m);
  assert.equal(
    (await turn('open')).output,
    `The wallet of member ${member.id} (${member.phone}) is open, by operator:anna.\n`,
  );
  assert.equal((await turn('open')).status, 1);
  assertRefused(await withdraw(), 'MONEY_NOT_ENOUGH');
  const log = await logOf(member.id);
  assert.equal(log.split('\n').filter((line) => /members wallet (close|open)/.test(line)).length, 2);
});

test('unlock admits a login after wrong passwords and codes for a blocked phone, and is refused if nothing is locked', async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) await logIn('wrong-password-1');
  assert.equal((await logIn()).status, 429);
  assert.match((await run('show', member.phone)).output, /^limit login\.failure\.\S+: used up until \d/m);
  const unlock = (text: string) => run('unlock', text, 'anna', 'called and named the account');
  assert.equal((await unlock(await codeOf())).output, `${member.phone} is unlocked, by operator:anna.\n`);
  assert.equal((await logIn()).status, 200);
  assert.deepEqual(await unlock(member.phone), { status: 1, output: `Nothing locks ${member.phone}.\n` });
  const phone = newPhone();
  await system.database.query(`insert into otp_phone (phone, blocked_until) values ($1, now() + interval '1 hour')`, [
    phone,
  ]);
  const send = () => system.api('POST /api/otp/send', { body: { phoneNumber: phone } });
  assertRefused(await send(), 'OTP_BLOCK');
  assert.equal((await unlock(phone)).status, 0);
  assert.equal((await send()).status, 200);
  assert.match(await logOf(phone), /anna +members unlock/);
});

test('invites of a member are blocked and unblocked, and reveals of game passwords are listed with their caller', async () => {
  const turn = (action: string) => run('invites', member.id, action, 'anna', 'invites own phones');
  assert.equal(
    (await turn('block')).output,
    `Invites of member ${member.id} (${member.phone}) are blocked, by operator:anna.\n`,
  );
  assert.equal((await turn('block')).output, `Invites of member ${member.id} are blocked already.\n`);
  assertRefused(await system.api('GET /api/invite/bonus', { token: member.token }), 'INVITE_INACTIVE');
  assert.match((await run('show', member.id)).output, /^invites: blocked: invites own phones$/m);
  assert.equal((await turn('unblock')).status, 0);
  assert.equal((await turn('unblock')).output, `Invites of member ${member.id} are not blocked.\n`);
  assert.equal((await run('passwords', member.id)).output, '0 times shown or received\n');
  const { username } = await openGame(system, member.token, 'pg');
  const { output } = await run('passwords', member.id);
  assert.match(output, new RegExp(`^\\d.{18}\\+07:00  pg  ${username}  activate  \\S+  request \\S+\n1 times`));
  assert.equal((await run('refunds', member.id)).output, '0 refunds\n');
});

test('a blocked bank account is refused until it is unblocked; unknown banks and repetitions are refused', async () => {
  const accountNo = newAccountNo();
  const bank = (...args: string[]) => runCommand(system, 'bank-accounts', args);
  const turn = (action: string, code = 'SCB') =>
    bank(action, code, `${accountNo.slice(0, 3)}-${accountNo.slice(3)}`, 'anna', 'mule account');
  assert.equal((await turn('block')).output, `SCB ${accountNo} is blocked, by operator:anna.\n`);
  assert.equal((await turn('block')).output, `SCB ${accountNo} is blocked already.\n`);
  assert.equal((await turn('block', 'NONE')).output, 'There is no bank NONE.\n');
  assert.equal((await bank('block', 'SCB', '12a', 'anna', 'mule account')).status, 1);
  assert.equal((await bank()).output, `SCB ${accountNo}  no member  mule account\n1 blocked\n`);
  const validate = () =>
    system.api('POST /api/account/validate', { body: registrationBody({ phone, bankAccountNo: accountNo }) });
  const phone = newPhone();
  await system.database.query(`update operator_data_setting set value = 'false' where name = 'registerOTP'`);
  await waitForSettingsReload();
  assertRefused(await validate(), 'EXISTING_BANK');
  assert.equal((await turn('unblock')).status, 0);
  assert.equal((await turn('unblock')).output, `SCB ${accountNo} is not blocked.\n`);
  assert.equal((await validate()).status, 200);
  assert.match(await logOf(`SCB ${accountNo}`), /anna +bank-accounts block .*mule account/);
});
