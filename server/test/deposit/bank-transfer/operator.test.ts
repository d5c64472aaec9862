import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { runCommand } from '../../harness/command.ts';
import { registerMember } from '../../harness/members.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  readArrivalRow,
  assertBooksAgree,
  readDepositAmounts,
  type FeedSystem,
  feedEntryOf,
  sendPush,
  signedPush,
  SCB_ACCOUNT,
  startFeedSystem,
  readStatement,
} from './feed-fixtures.ts';

let feedSystem: FeedSystem;
let system: System;
before(async () => {
  feedSystem = await startFeedSystem();
  system = await startSystem({ outside: feedSystem.outside });
});
after(async () => {
  await system.stop();
  await feedSystem.close();
});
afterEach(() => assertBooksAgree(system));

const runArrivals = (...commandArgs: string[]) => runCommand(system, 'arrivals', commandArgs);

test('an operator lists waiting transfers and assigns one to a member with a reason, once; the books name the operator', async () => {
  const member = await registerMember(system);
  const otherMember = await registerMember(system);
  const feedEntry = feedEntryOf({ ...member, bankAccountNo: '9999999999', bankAccountName: 'A FRIEND' }, '321.00');
  feedSystem.addEntries(SCB_ACCOUNT, feedEntry, { direction: 'in', nonsense: true });
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await waitUntil(
    () => readArrivalRow(system, feedEntry.transRef),
    (row) => row?.state === 'SUSPENSE',
    'in suspense',
  );
  const listResult = await runArrivals();
  assert.equal(listResult.status, 0);
  assert.match(listResult.output, new RegExp(`014 ${feedEntry.transRef} +\\d+ min +321\\.00 BAHT .*NOBODY`));
  assert.match(listResult.output, /line 1 +\d+ min {2}bank:SCB-4680001234 {2}unreadable: .*nonsense/);
  assert.match(listResult.output, /1 transfers wait, 1 lines failed, 0 feeds unread, 0 gifts open/);

  const settleArrival = (phone: string, ...commandArgs: string[]) =>
    runArrivals('settle', '014', feedEntry.transRef, phone, ...commandArgs);
  const reason = 'the friend was named by the member';
  for (const refusedResult of await Promise.all([
    settleArrival(member.phone, 'nok', 'why'),
    settleArrival('0800000000', 'nok', reason),
    runArrivals('settle', '014', 'UNKNOWN', member.phone, 'nok', reason),
  ])) {
    assert.equal(refusedResult.status, 1, refusedResult.output);
  }
  assert.deepEqual(await readDepositAmounts(system, member), []);

  const formattedPhone = `+66 ${member.phone.slice(1, 3)}-${member.phone.slice(3)}`;
  const settleResult = await settleArrival(formattedPhone, 'nok', ...reason.split(' '));
  assert.equal(settleResult.status, 0, settleResult.output);
  await waitUntil(
    () => readDepositAmounts(system, member),
    (amounts) => amounts.length === 1,
    'credited',
  );
  assert.equal((await settleArrival(otherMember.phone, 'nok', 'somebody else asks for it')).status, 1);
  assert.deepEqual(
    [await readDepositAmounts(system, member), await readDepositAmounts(system, otherMember)],
    [[321], []],
  );
  assert.equal((await readStatement(system, member))[0]?.from, 'BANK');
  const { rows } = await system.database.query<{ actor: string; note: string }>(
    `select o.actor, a.note from ledger.operation o join deposit_arrival a on a.trans_ref = o.reference
     where o.reference = $1 and o.kind = 'deposit'`,
    [feedEntry.transRef],
  );
  assert.deepEqual(rows, [{ actor: 'operator:nok', note: reason }]);
  const { output } = await runCommand(system, 'operator-log', ['014', feedEntry.transRef]);
  const entry = `operator-log.*nok +arrivals settle to ${member.id} +014 ${feedEntry.transRef} +${reason}`;
  assert.match(`operator-log ${output}`, new RegExp(`^${entry}\n1 entries\n$`), 'one log of what operators do');
});
