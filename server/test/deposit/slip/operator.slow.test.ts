import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { until } from '../qrcode/qr-fixtures.ts';
import { type Ended, runCommand } from '../../harness/command.ts';
import { newAccountNo, registerMember, type TestMember } from '../../harness/members.ts';
import { misbehave, setLimits, takeSlipsNow } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  ended,
  letTimePass,
  OUR_GSB,
  OUR_SCB,
  type Paid,
  sendSlip,
  type SlipBody,
  slipOf,
  transferBy,
  untilRow,
} from './slip-fixtures.ts';

const WHY = ['statement', 'of', '21', 'Nov,', 'line', '14'];

let system: System;
before(async () => {
  system = await startSystem();
  await setLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await takeSlipsNow(system);
});
after(() => system.stop());
afterEach(async () => {
  await system.world('DELETE /control/faults');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const slips = (...words: string[]): Promise<Ended> => runCommand(system, 'slips', words);
const approve = (reference: string, { sendingBank, transRef }: Pick<Paid, 'sendingBank' | 'transRef'>, by: string) =>
  slips('approve', reference, sendingBank, transRef, by, ...WHY);
const walletOf = async ({ token }: TestMember): Promise<number> =>
  (await system.api('GET /api/wallet', { token })).body.wallet.amount;
const logOf = async (subject: string): Promise<string[]> =>
  (await runCommand(system, 'operator-log', [subject])).output.trimEnd().split('\n').slice(0, -1);
const becomes = (member: TestMember, { reference }: SlipBody, status: string) =>
  until(
    () => slipOf(system, member.token, reference),
    (slip) => slip.status === status,
    `${reference} is ${status}`,
  );

/** A slip without a reply of the bank for more than an hour. */
async function silent(member: TestMember, paid: Awaited<ReturnType<typeof transferBy>>): Promise<SlipBody> {
  await misbehave(system, { target: 'bank', call: 'slip-lookup', fault: 'bank-down', times: 40 });
  const slip = await sendSlip(system, member.token, paid.image);
  await untilRow(system, slip.reference, ({ state, tries }) => state === 'READ' && tries > 0);
  await system.database.query('update slip set tries = 40 where reference = $1', [slip.reference]);
  await letTimePass(system);
  await untilRow(system, slip.reference, ({ state }) => state === 'MANUAL');
  await system.world('DELETE /control/faults');
  return slip;
}

/** The member's sister pays into an account with a feed, and the money waits for an operator. */
async function sistersTransfer(member: TestMember, amount: string) {
  const sister = { ...member, bankAccountNo: newAccountNo(), bankAccountName: 'HER SISTER' };
  const paid = await transferBy(system, sister, { amount, to: OUR_SCB });
  await until(
    async () =>
      (
        await system.database.query<{ state: string }>('select state from deposit_arrival where trans_ref = $1', [
          paid.transRef,
        ])
      ).rows[0]?.state,
    (state) => state === 'SUSPENSE',
    'in suspense',
  );
  return paid;
}

test('a slip that waits is listed with its transfer, and approved: credited once, shown as SUCCESS, and the operator is in the ledger [R-SLIP-02]', async () => {
  const member = await registerMember(system);
  const paid = await sistersTransfer(member, '210.50');
  const slip = await silent(member, paid);
  const { status, output } = await slips();
  assert.equal(status, 0, output);
  const [line = '', transfer = '', sum] = output.split('\n');
  assert.match(
    line,
    new RegExp(
      `^${slip.reference}  BANK_SILENT +\\d+ min +\\? BAHT  member ${member.id} \\(${member.phone}\\)  the bank has`,
    ),
  );
  assert.match(line, new RegExp(`names 014 ${paid.transRef}  slip-picture/`));
  assert.match(
    transfer,
    new RegExp(`^ +transfer 014 ${paid.transRef}  210\\.50 BAHT .* to bank:SCB-.*SUSPENSE NOBODY`),
  );
  assert.equal(sum, '1 slips wait for an operator');
  assert.ok(!output.includes(member.bankAccountNo), 'the member’s bank account is shown as the bank masks it');

  const done = await approve(slip.reference, paid, 'nok');
  assert.equal(done.status, 0, done.output);
  assert.match(done.output, new RegExp(`^${slip.reference} is approved, by operator:nok\\.`));
  const shown = await becomes(member, slip, 'SUCCESS');
  assert.deepEqual([shown.note, shown.amount], [null, 210.5]);
  assert.equal(await walletOf(member), 210.5, 'in the wallet before the slip says so');
  const { rows } = await system.database.query<{ actor: string }>(
    `select actor from ledger.operation where reference = $1 and kind = 'deposit'`,
    [paid.transRef],
  );
  assert.deepEqual(rows, [{ actor: 'operator:nok' }]);
  const [entry = '', ...more] = await logOf(slip.reference);
  assert.deepEqual(more, []);
  assert.match(entry, new RegExp(`nok +slips approve 014 ${paid.transRef} +${slip.reference} +${WHY.join(' ')}$`));
  assert.match((await approve(slip.reference, paid, 'lek')).output, /It is decided already, by operator:nok\./);
  assert.equal((await slips()).output, '0 slips wait for an operator\n');
  assert.equal(await walletOf(member), 210.5);
});

test('two operators, and one who gives the same transfer to another member, concurrently: one credit [R-SLIP-03]', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [member, other] = [await registerMember(system), await registerMember(system)];
    const paid = await sistersTransfer(member, '77.00');
    const slip = await silent(member, paid);
    const ends = await Promise.all([
      approve(slip.reference, paid, 'nok'),
      approve(slip.reference, paid, 'lek'),
      runCommand(system, 'arrivals', ['settle', '014', paid.transRef, other.phone, 'daeng', ...WHY]),
    ]);
    const done = ends.filter(({ status }) => status === 0);
    assert.equal(done.length, 1, ends.map(({ output }) => output).join(''));
    const credited = async () => (await walletOf(member)) + (await walletOf(other));
    await until(credited, (sum) => sum !== 0, 'credited');
    const isMembers = done[0] !== ends[2];
    if (isMembers) await becomes(member, slip, 'SUCCESS');
    else assert.equal((await slips('refuse', slip.reference, 'NOT_MATCH', 'nok', ...WHY)).status, 0);
    assert.deepEqual([await walletOf(member), await walletOf(other)], isMembers ? [77, 0] : [0, 77]);
  }
});

test('refused: the member reads the reason, and nothing moved; it can’t be decided again [R-SLIP-02]', async () => {
  const member = await registerMember(system);
  const paid = await sistersTransfer(member, '33.00');
  const slip = await silent(member, paid);
  for (const [words, why] of [
    [['refuse', slip.reference, 'NO_SUCH_CODE', 'nok', ...WHY], /^Write `npm run krapao -- slips`/],
    [['refuse', slip.reference, 'NOT_MATCH', 'nok', 'why'], /^Write/],
    [['refuse', slip.reference, 'NOT_MATCH'], /^Write/],
    [['refuse', 'SNOBODYHASTHIS', 'NOT_MATCH', 'nok', ...WHY], /There is no such slip/],
    [['approve', slip.reference, '014', 'NOBODYSENTTHIS', 'nok', ...WHY], /Its code names another transfer/],
    [['drop', slip.reference, 'nok', ...WHY], /^Write/],
  ] as const) {
    const ended = await slips(...words);
    assert.equal(ended.status, 1, words.join(' '));
    assert.match(ended.output, why);
  }
  assert.deepEqual(await logOf(slip.reference), [], 'what was not done is not written down');
  const refused = await slips('refuse', slip.reference, 'NOT_MATCH', 'nok', ...WHY);
  assert.equal(refused.status, 0, refused.output);
  const { status, note } = await slipOf(system, member.token, slip.reference);
  assert.deepEqual({ status, note }, { status: 'FAILED', note: 'NOT_MATCH' });
  assert.match((await approve(slip.reference, paid, 'lek')).output, /decided already, by operator:nok/);
  assert.match((await slips('ask', slip.reference, 'lek', ...WHY)).output, /decided already/);
  assert.equal((await logOf(slip.reference)).length, 1);
  assert.equal(await walletOf(member), 0);
});

test('retried when the bank is back: the slip ends automatically, as if it had never waited [R-SLIP-02]', async () => {
  const member = await registerMember(system);
  const slip = await silent(member, await transferBy(system, member, { amount: '64.00' }));
  assert.match((await slips()).output, new RegExp(`${slip.reference} .*BANK_SILENT`));
  assert.equal((await slips('ask', slip.reference, 'nok', ...WHY)).status, 0);
  assert.equal((await ended(system, member.token, slip)).status, 'SUCCESS');
  assert.equal(await walletOf(member), 64);
  assert.match(
    (await slips('ask', slip.reference, 'nok', ...WHY)).output,
    /does not wait for an operator, it is CREDITED/,
  );
});

test('an unreadable slip is listed with transfers in suspense, and is credited by what an operator saw', async () => {
  const member = await registerMember(system);
  const paid = await sistersTransfer(member, '45.00');
  const reference = `STEST${paid.transRef.slice(-9).toUpperCase()}`;
  // As after a file has killed its reader three times.
  await system.database.query(
    `insert into slip (id, member_id, reference, currency, state, reason, upload_key, work_at)
     values ($1, $2, $3, 'BAHT', 'MANUAL', 'READER', 'slip-upload/gone.bin', null)`,
    [randomUUID(), member.id, reference],
  );
  const { output } = await slips();
  assert.match(output, new RegExp(`${reference}  READER .*not read  no picture\n.*`));
  assert.match(output, new RegExp(`    transfer 014 ${paid.transRef}  45\\.00 BAHT`));
  assert.match(
    (await approve(reference, { sendingBank: '014', transRef: 'NOBODYSENTTHIS' }, 'nok')).output,
    /has not been reported yet/,
  );
  assert.equal((await approve(reference, paid, 'nok')).status, 0);
  await until(
    () => slipOf(system, member.token, reference),
    ({ status }) => status === 'SUCCESS',
    'credited',
  );
  assert.equal(await walletOf(member), 45);
});

/** Waits until the slip is MANUAL; its member sees it in progress. */
async function assertUnderReview({ token }: TestMember, { reference }: SlipBody): Promise<void> {
  await untilRow(system, reference, ({ state }) => state === 'MANUAL');
  const { status, note, underReview } = await slipOf(system, token, reference);
  assert.deepEqual({ status, note, underReview }, { status: 'PROCESSING', note: null, underReview: true });
}

test('a slip that two members can have sent credits neither, and waits for a person who sees both [R-SLIP-03]', async () => {
  const alike = { bankAccountName: 'TWIN ALIKE' };
  const owner = await registerMember(system, { ...alike, bankAccountNo: '1234567890' });
  const cheat = await registerMember(system, { ...alike, bankAccountNo: '5432167891' });
  const paid = await transferBy(system, owner, { amount: '80.00', to: OUR_GSB });
  // Another member may copy the code of a slip that they saw, and upload it first.
  const stolen = await sendSlip(system, cheat.token, paid.image);
  await assertUnderReview(cheat, stolen);
  const own = await sendSlip(system, owner.token, paid.image);
  await assertUnderReview(owner, own);
  assert.deepEqual([await walletOf(owner), await walletOf(cheat)], [0, 0]);
  const { output } = await slips();
  const line = output.split('\n').find((one) => one.startsWith(own.reference)) ?? output;
  assert.match(
    line,
    new RegExp(`SEVERAL +\\d+ min +80\\.00 BAHT  member ${owner.id} .*also sent by ${cheat.id} \\(${cheat.phone}\\)$`),
  );
  const both = [owner.id, cheat.id].toSorted();
  const candidates = /SUSPENSE SEVERAL  could be (\S+) \(\d+\) (\S+) \(\d+\)$/m.exec(output)?.slice(1).toSorted();
  assert.deepEqual(candidates, both);
  assert.match((await runCommand(system, 'arrivals')).output, new RegExp(`014 ${paid.transRef} .*SEVERAL  could be`));
  assert.equal((await approve(own.reference, paid, 'nok')).status, 0);
  await becomes(owner, own, 'SUCCESS');
  assert.match((await approve(stolen.reference, paid, 'lek')).output, /already credited/);
  assert.equal((await slips('refuse', stolen.reference, 'NOT_MATCH', 'lek', ...WHY)).status, 0);
  assert.deepEqual([await walletOf(owner), await walletOf(cheat)], [80, 0]);
});

test('who registers, or takes a name, after a stranger’s transfer doesn’t get it by its slip, nor by the feed [R-DEP-04] [R-SLIP-03]', async () => {
  const stranger = { bankCode: 'SCB', bankAccountNo: newAccountNo(), bankAccountName: 'WEALTHY STRANGER' };
  const places = stranger.bankAccountNo.slice(5, 9);
  const lookAlike = (): string => `1${newAccountNo().slice(1, 5)}${places}3`;
  const at = new Date(Date.now() - 10 * 60_000).toISOString();
  const seen = await transferBy(system, stranger as TestMember, { amount: '900.00', to: OUR_GSB, at });
  const late = await registerMember(system, { ...stranger, bankAccountNo: lookAlike() });
  const first = await sendSlip(system, late.token, seen.image);
  await assertUnderReview(late, first);
  const reasonOf = async ({ transRef }: Paid) =>
    (
      await system.database.query<{ reason: string; candidates: string[] }>(
        'select reason, candidates from deposit_arrival where trans_ref = $1',
        [transRef],
      )
    ).rows[0];
  assert.deepEqual(await reasonOf(seen), { reason: 'TOO_NEW', candidates: [late.id] });

  // A long-standing member who changes to the stranger's name.
  await system.database.query('delete from member_bank_account where member_id = $1', [late.id]);
  const old = await registerMember(system, { bankCode: 'SCB', bankAccountName: 'คนอื่น', bankAccountNo: lookAlike() });
  await system.database.query(
    `update member_bank_account set created_at = now() - interval '1 year' where member_id = $1`,
    [old.id],
  );
  const body = { bankCode: 'SCB', bankAccountName: stranger.bankAccountName };
  assert.equal((await system.api('PUT /api/account/bankAccountName', { token: old.token, body })).status, 200);
  const fed = await transferBy(system, stranger as TestMember, { amount: '901.00', to: OUR_SCB, at });
  const found = await until(
    () => reasonOf(fed),
    (row) => row?.reason !== undefined && row.reason !== null,
    'in suspense',
  );
  assert.deepEqual(found, { reason: 'TOO_NEW', candidates: [old.id] });
  assert.deepEqual([await walletOf(late), await walletOf(old)], [0, 0]);
});

test('of look-alikes the member who was asked for exactly this amount gets it, in any order of their slips [R-SLIP-03]', async () => {
  const alike = { bankAccountName: 'TWIN ALIKE' };
  const owner = await registerMember(system, { ...alike, bankAccountNo: '1111188881' });
  const cheat = await registerMember(system, { ...alike, bankAccountNo: '2222288882' });
  const { body } = await system.api('POST /api/wallet/add', {
    token: owner.token,
    body: { amount: 120, bankCode: OUR_SCB.bankCode },
  });
  assert.notEqual(body.payAmount, 120, 'asked for another amount, as a distinction');
  const paid = await transferBy(system, owner, { amount: body.payAmount.toFixed(2), to: OUR_SCB });
  const stolen = await sendSlip(system, cheat.token, paid.image);
  const { note } = await ended(system, cheat.token, stolen);
  assert.ok(note === 'NOT_MATCH' || note === 'SLIP_REFNO_DUPLICATED', String(note));
  await until(
    () => walletOf(owner),
    (amount) => amount > 0,
    'credited',
  );
  assert.deepEqual([await walletOf(owner), await walletOf(cheat)], [body.payAmount, 0]);
});
