import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { audit } from '../../../src/ledger/audit.ts';
import { type CommandResult, runCommand } from '../../harness/command.ts';
import { newAccountNo, registerMember, type TestMember } from '../../harness/members.ts';
import { injectFault, setRateLimits, openSlipDeposits } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  waitForSlipEnd,
  makeSlipsDue,
  OWN_GSB_ACCOUNT,
  OWN_SCB_ACCOUNT,
  type SlipTransfer,
  sendSlip,
  type SlipBody,
  readSlip,
  transferWithSlip,
  waitForSlipRow,
} from './slip-fixtures.ts';

const REASON_ARGS = ['statement', 'of', '21', 'Nov,', 'line', '14'];

let system: System;
before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await openSlipDeposits(system);
});
after(() => system.stop());
afterEach(async () => {
  await system.simulatorsApi('DELETE /control/faults');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const runSlips = (...commandArgs: string[]): Promise<CommandResult> => runCommand(system, 'slips', commandArgs);
const approveSlip = (
  reference: string,
  { sendingBank, transRef }: Pick<SlipTransfer, 'sendingBank' | 'transRef'>,
  approvalArgs: string,
) => runSlips('approve', reference, sendingBank, transRef, approvalArgs, ...REASON_ARGS);
const walletOf = async ({ token }: TestMember): Promise<number> =>
  (await system.api('GET /api/wallet', { token })).body.wallet.amount;
const readOperatorLog = async (subject: string): Promise<string[]> =>
  (await runCommand(system, 'operator-log', [subject])).output.trimEnd().split('\n').slice(0, -1);
const waitForStatus = (member: TestMember, { reference }: SlipBody, status: string) =>
  waitUntil(
    () => readSlip(system, member.token, reference),
    (slip) => slip.status === status,
    `${reference} is ${status}`,
  );

/** A slip for which the bank has not replied for more than an hour. */
async function silentSlip(
  member: TestMember,
  slipTransfer: Awaited<ReturnType<typeof transferWithSlip>>,
): Promise<SlipBody> {
  await injectFault(system, { target: 'bank', call: 'slip-lookup', fault: 'bank-down', times: 40 });
  const slip = await sendSlip(system, member.token, slipTransfer.image);
  await waitForSlipRow(system, slip.reference, ({ state, tries }) => state === 'READ' && tries > 0);
  await system.database.query('update slip set tries = 40 where reference = $1', [slip.reference]);
  await makeSlipsDue(system);
  await waitForSlipRow(system, slip.reference, ({ state }) => state === 'MANUAL');
  await system.simulatorsApi('DELETE /control/faults');
  return slip;
}

/** The member's sister pays into an account with a feed, and the money waits for an operator. */
async function transferBySister(member: TestMember, amount: string) {
  const sisterAccount = { ...member, bankAccountNo: newAccountNo(), bankAccountName: 'HER SISTER' };
  const slipTransfer = await transferWithSlip(system, sisterAccount, { amount, to: OWN_SCB_ACCOUNT });
  await waitUntil(
    async () =>
      (
        await system.database.query<{ state: string }>('select state from deposit_arrival where trans_ref = $1', [
          slipTransfer.transRef,
        ])
      ).rows[0]?.state,
    (state) => state === 'SUSPENSE',
    'in suspense',
  );
  return slipTransfer;
}

test('a waiting slip is listed with its transfer, approved and credited once as SUCCESS, with the operator in the ledger [R-SLIP-02]', async () => {
  const member = await registerMember(system);
  const paid = await transferBySister(member, '210.50');
  const slip = await silentSlip(member, paid);
  const { status, output } = await runSlips();
  assert.equal(status, 0, output);
  const [listLine = '', transfer = '', amountLine] = output.split('\n');
  assert.match(
    listLine,
    new RegExp(
      `^${slip.reference}  BANK_SILENT +\\d+ min +\\? BAHT  member ${member.id} \\(${member.phone}\\)  the bank has`,
    ),
  );
  assert.match(listLine, new RegExp(`names 014 ${paid.transRef}  slip-picture/`));
  assert.match(
    transfer,
    new RegExp(`^ +transfer 014 ${paid.transRef}  210\\.50 BAHT .* to bank:SCB-.*SUSPENSE NOBODY`),
  );
  assert.equal(amountLine, '1 slips wait for an operator');
  assert.ok(!output.includes(member.bankAccountNo), 'the member’s bank account is shown as the bank masks it');

  const approveResult = await approveSlip(slip.reference, paid, 'nok');
  assert.equal(approveResult.status, 0, approveResult.output);
  assert.match(approveResult.output, new RegExp(`^${slip.reference} is approved, by operator:nok\\.`));
  const shownSlip = await waitForStatus(member, slip, 'SUCCESS');
  assert.deepEqual([shownSlip.note, shownSlip.amount], [null, 210.5]);
  assert.equal(await walletOf(member), 210.5, 'in the wallet before the slip says so');
  const { rows } = await system.database.query<{ actor: string }>(
    `select actor from ledger.operation where reference = $1 and kind = 'deposit'`,
    [paid.transRef],
  );
  assert.deepEqual(rows, [{ actor: 'operator:nok' }]);
  const [entry = '', ...otherEntries] = await readOperatorLog(slip.reference);
  assert.deepEqual(otherEntries, []);
  assert.match(
    entry,
    new RegExp(`nok +slips approve 014 ${paid.transRef} +${slip.reference} +${REASON_ARGS.join(' ')}$`),
  );
  assert.match((await approveSlip(slip.reference, paid, 'lek')).output, /It is decided already, by operator:nok\./);
  assert.equal((await runSlips()).output, '0 slips wait for an operator\n');
  assert.equal(await walletOf(member), 210.5);
});

test('two operators and one who assigns the same transfer to another member concurrently cause one credit [R-SLIP-03]', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [member, otherMember] = [await registerMember(system), await registerMember(system)];
    const paid = await transferBySister(member, '77.00');
    const slip = await silentSlip(member, paid);
    const approveResults = await Promise.all([
      approveSlip(slip.reference, paid, 'nok'),
      approveSlip(slip.reference, paid, 'lek'),
      runCommand(system, 'arrivals', ['settle', '014', paid.transRef, otherMember.phone, 'daeng', ...REASON_ARGS]),
    ]);
    const acceptedResults = approveResults.filter(({ status }) => status === 0);
    assert.equal(acceptedResults.length, 1, approveResults.map(({ output }) => output).join(''));
    const readCredited = async () => (await walletOf(member)) + (await walletOf(otherMember));
    await waitUntil(readCredited, (total) => total !== 0, 'credited');
    const isMembers = acceptedResults[0] !== approveResults[2];
    if (isMembers) await waitForStatus(member, slip, 'SUCCESS');
    else assert.equal((await runSlips('refuse', slip.reference, 'NOT_MATCH', 'nok', ...REASON_ARGS)).status, 0);
    assert.deepEqual([await walletOf(member), await walletOf(otherMember)], isMembers ? [77, 0] : [0, 77]);
  }
});

test('a slip refused by an operator shows its reason, moves no money, and cannot be decided again [R-SLIP-02]', async () => {
  const member = await registerMember(system);
  const paid = await transferBySister(member, '33.00');
  const slip = await silentSlip(member, paid);
  for (const [commandArgs, expectedReason] of [
    [
      ['refuse', slip.reference, 'NO_SUCH_CODE', 'nok', ...REASON_ARGS],
      /^CODE is one of .*, not "NO_SUCH_CODE"\. Write `krapao slips`/,
    ],
    [['approve', slip.reference, '014'], /^TRANSREF is missing\. Write/],
    [['refuse', slip.reference, 'NOT_MATCH', 'nok', 'why'], /^WHY needs at least five letters\. Write/],
    [['refuse', slip.reference, 'NOT_MATCH'], /^NAME and WHY are missing\. Write/],
    [['refuse', 'SNOBODYHASTHIS', 'NOT_MATCH', 'nok', ...REASON_ARGS], /There is no such slip/],
    [['approve', slip.reference, '014', 'NOBODYSENTTHIS', 'nok', ...REASON_ARGS], /Its code names another transfer/],
    [['drop', slip.reference, 'nok', ...REASON_ARGS], /^There is no action "drop"\. Write/],
  ] as const) {
    const commandResult = await runSlips(...commandArgs);
    assert.equal(commandResult.status, 1, commandArgs.join(' '));
    assert.match(commandResult.output, expectedReason);
  }
  assert.deepEqual(await readOperatorLog(slip.reference), [], 'what was not done is not written down');
  const refuseResult = await runSlips('refuse', slip.reference, 'NOT_MATCH', 'nok', ...REASON_ARGS);
  assert.equal(refuseResult.status, 0, refuseResult.output);
  const { status, note } = await readSlip(system, member.token, slip.reference);
  assert.deepEqual({ status, note }, { status: 'FAILED', note: 'NOT_MATCH' });
  assert.match((await approveSlip(slip.reference, paid, 'lek')).output, /decided already, by operator:nok/);
  assert.match((await runSlips('inquire', slip.reference, 'lek', ...REASON_ARGS)).output, /decided already/);
  assert.equal((await readOperatorLog(slip.reference)).length, 1);
  assert.equal(await walletOf(member), 0);
});

test("a slip retried after the bank's return ends automatically, as if it had never waited [R-SLIP-02]", async () => {
  const member = await registerMember(system);
  const slip = await silentSlip(member, await transferWithSlip(system, member, { amount: '64.00' }));
  assert.match((await runSlips()).output, new RegExp(`${slip.reference} .*BANK_SILENT`));
  assert.equal((await runSlips('inquire', slip.reference, 'nok', ...REASON_ARGS)).status, 0);
  assert.equal((await waitForSlipEnd(system, member.token, slip)).status, 'SUCCESS');
  assert.equal(await walletOf(member), 64);
  assert.match(
    (await runSlips('inquire', slip.reference, 'nok', ...REASON_ARGS)).output,
    /does not wait for an operator, it is CREDITED/,
  );
});

test("an unreadable slip is listed with transfers in suspense, and credited by an operator's entry", async () => {
  const member = await registerMember(system);
  const paid = await transferBySister(member, '45.00');
  const reference = `STEST${paid.transRef.slice(-9).toUpperCase()}`;
  // Simulates a file that has crashed its reader three times.
  await system.database.query(
    `insert into slip (id, member_id, reference, currency, state, reason, upload_key, work_at)
     values ($1, $2, $3, 'BAHT', 'MANUAL', 'READER', 'slip-upload/gone.bin', null)`,
    [randomUUID(), member.id, reference],
  );
  const { output } = await runSlips();
  assert.match(output, new RegExp(`${reference}  READER .*not read  no picture\n.*`));
  assert.match(output, new RegExp(`    transfer 014 ${paid.transRef}  45\\.00 BAHT`));
  assert.match(
    (await approveSlip(reference, { sendingBank: '014', transRef: 'NOBODYSENTTHIS' }, 'nok')).output,
    /has not been reported yet/,
  );
  assert.equal((await approveSlip(reference, paid, 'nok')).status, 0);
  await waitUntil(
    () => readSlip(system, member.token, reference),
    ({ status }) => status === 'SUCCESS',
    'credited',
  );
  assert.equal(await walletOf(member), 45);
});

/** Waits until the slip is MANUAL; its member sees it in progress. */
async function assertUnderReview({ token }: TestMember, { reference }: SlipBody): Promise<void> {
  await waitForSlipRow(system, reference, ({ state }) => state === 'MANUAL');
  const { status, note, underReview } = await readSlip(system, token, reference);
  assert.deepEqual({ status, note, underReview }, { status: 'PROCESSING', note: null, underReview: true });
}

test('a slip that two members can have sent credits neither, and waits for an operator who sees both [R-SLIP-03]', async () => {
  const sharedName = { bankAccountName: 'TWIN ALIKE' };
  const owner = await registerMember(system, { ...sharedName, bankAccountNo: '1234567890' });
  const cheatingMember = await registerMember(system, { ...sharedName, bankAccountNo: '5432167891' });
  const slipTransfer = await transferWithSlip(system, owner, { amount: '80.00', to: OWN_GSB_ACCOUNT });
  // Another member may copy the code of a visible slip and upload it first.
  const stolenSlip = await sendSlip(system, cheatingMember.token, slipTransfer.image);
  await assertUnderReview(cheatingMember, stolenSlip);
  const ownSlip = await sendSlip(system, owner.token, slipTransfer.image);
  await assertUnderReview(owner, ownSlip);
  assert.deepEqual([await walletOf(owner), await walletOf(cheatingMember)], [0, 0]);
  const { output } = await runSlips();
  const line = output.split('\n').find((outputLine) => outputLine.startsWith(ownSlip.reference)) ?? output;
  assert.match(
    line,
    new RegExp(
      `SEVERAL +\\d+ min +80\\.00 BAHT  member ${owner.id} .*also sent by ${cheatingMember.id} \\(${cheatingMember.phone}\\)$`,
    ),
  );
  const candidateIds = [owner.id, cheatingMember.id].toSorted();
  const listedCandidates = /SUSPENSE SEVERAL  could be (\S+) \(\d+\) (\S+) \(\d+\)$/m.exec(output)?.slice(1).toSorted();
  assert.deepEqual(listedCandidates, candidateIds);
  assert.match(
    (await runCommand(system, 'arrivals')).output,
    new RegExp(`014 ${slipTransfer.transRef} .*SEVERAL  could be`),
  );
  assert.equal((await approveSlip(ownSlip.reference, slipTransfer, 'nok')).status, 0);
  await waitForStatus(owner, ownSlip, 'SUCCESS');
  assert.match((await approveSlip(stolenSlip.reference, slipTransfer, 'lek')).output, /already credited/);
  assert.equal((await runSlips('refuse', stolenSlip.reference, 'NOT_MATCH', 'lek', ...REASON_ARGS)).status, 0);
  assert.deepEqual([await walletOf(owner), await walletOf(cheatingMember)], [80, 0]);
});

test("a member who registers, or takes a name, after a stranger's transfer gets it neither by slip nor by feed [R-DEP-04] [R-SLIP-03]", async () => {
  const stranger = { bankCode: 'SCB', bankAccountNo: newAccountNo(), bankAccountName: 'WEALTHY STRANGER' };
  const visibleDigits = stranger.bankAccountNo.slice(5, 9);
  const similarAccountNo = (): string => `1${newAccountNo().slice(1, 5)}${visibleDigits}3`;
  const transferTime = new Date(Date.now() - 10 * 60_000).toISOString();
  const seenTransfer = await transferWithSlip(system, stranger as TestMember, {
    amount: '900.00',
    to: OWN_GSB_ACCOUNT,
    at: transferTime,
  });
  const laterMember = await registerMember(system, { ...stranger, bankAccountNo: similarAccountNo() });
  const first = await sendSlip(system, laterMember.token, seenTransfer.image);
  await assertUnderReview(laterMember, first);
  const readArrivalReason = async ({ transRef }: SlipTransfer) =>
    (
      await system.database.query<{ reason: string; candidates: string[] }>(
        'select reason, candidates from deposit_arrival where trans_ref = $1',
        [transRef],
      )
    ).rows[0];
  assert.deepEqual(await readArrivalReason(seenTransfer), { reason: 'TOO_NEW', candidates: [laterMember.id] });

  // A long-standing member who changes to the stranger's name.
  await system.database.query('delete from member_bank_account where member_id = $1', [laterMember.id]);
  const oldMember = await registerMember(system, {
    bankCode: 'SCB',
    bankAccountName: 'คนอื่น',
    bankAccountNo: similarAccountNo(),
  });
  await system.database.query(
    `update member_bank_account set created_at = now() - interval '1 year' where member_id = $1`,
    [oldMember.id],
  );
  const body = { bankCode: 'SCB', bankAccountName: stranger.bankAccountName };
  assert.equal((await system.api('PUT /api/account/bankAccountName', { token: oldMember.token, body })).status, 200);
  const feedTransfer = await transferWithSlip(system, stranger as TestMember, {
    amount: '901.00',
    to: OWN_SCB_ACCOUNT,
    at: transferTime,
  });
  const foundRow = await waitUntil(
    () => readArrivalReason(feedTransfer),
    (row) => row?.reason !== undefined && row.reason !== null,
    'in suspense',
  );
  assert.deepEqual(foundRow, { reason: 'TOO_NEW', candidates: [oldMember.id] });
  assert.deepEqual([await walletOf(laterMember), await walletOf(oldMember)], [0, 0]);
});

test('of members with look-alike accounts the one asked for exactly this amount is credited, in any order of slips [R-SLIP-03]', async () => {
  const sharedName = { bankAccountName: 'TWIN ALIKE' };
  const owner = await registerMember(system, { ...sharedName, bankAccountNo: '1111188881' });
  const cheatingMember = await registerMember(system, { ...sharedName, bankAccountNo: '2222288882' });
  const { body } = await system.api('POST /api/wallet/add', {
    token: owner.token,
    body: { amount: 120, bankCode: OWN_SCB_ACCOUNT.bankCode },
  });
  assert.notEqual(body.payAmount, 120, 'asked for another amount, as a distinction');
  const slipTransfer = await transferWithSlip(system, owner, {
    amount: body.payAmount.toFixed(2),
    to: OWN_SCB_ACCOUNT,
  });
  const stolenSlip = await sendSlip(system, cheatingMember.token, slipTransfer.image);
  const { note } = await waitForSlipEnd(system, cheatingMember.token, stolenSlip);
  assert.ok(note === 'NOT_MATCH' || note === 'SLIP_REFNO_DUPLICATED', String(note));
  await waitUntil(
    () => walletOf(owner),
    (amount) => amount > 0,
    'credited',
  );
  assert.deepEqual([await walletOf(owner), await walletOf(cheatingMember)], [body.payAmount, 0]);
});
