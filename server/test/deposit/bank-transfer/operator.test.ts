import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { runCommand } from '../../harness/command.ts';
import { registerMember } from '../../harness/members.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  arrivalOf,
  assertBooksAgree,
  depositsOf,
  type FeedSystem,
  lineOf,
  push,
  pushOf,
  SCB,
  startFeedSystem,
  statementOf,
} from './feed-fixtures.ts';
import { until } from '../qrcode/qr-fixtures.ts';

let world: FeedSystem;
let system: System;
before(async () => {
  world = await startFeedSystem();
  system = await startSystem({ outside: world.outside });
});
after(async () => {
  await system.stop();
  await world.close();
});
afterEach(() => assertBooksAgree(system));

const arrivals = (...words: string[]) => runCommand(system, 'arrivals', words);

test('an operator sees what waits, gives it to a member with a reason, once, and the books know who did it', async () => {
  const member = await registerMember(system);
  const other = await registerMember(system);
  const line = lineOf({ ...member, bankAccountNo: '9999999999', bankAccountName: 'A FRIEND' }, '321.00');
  world.tell(SCB, line, { direction: 'in', nonsense: true });
  await push(system, pushOf(system, SCB));
  await until(
    () => arrivalOf(system, line.transRef),
    (row) => row?.state === 'SUSPENSE',
    'in suspense',
  );
  const seen = await arrivals();
  assert.equal(seen.status, 0);
  assert.match(seen.output, new RegExp(`014 ${line.transRef} +\\d+ min +321\\.00 BAHT .*NOBODY`));
  assert.match(seen.output, /line 1 +\d+ min {2}bank:SCB-4680001234 {2}unreadable: .*nonsense/);
  assert.match(seen.output, /1 transfers wait, 1 lines failed, 0 feeds unread, 0 gifts open/);

  const settle = (phone: string, ...words: string[]) => arrivals('settle', '014', line.transRef, phone, ...words);
  const why = 'the friend was named by the member';
  for (const wrong of await Promise.all([
    settle(member.phone, 'nok', 'why'),
    settle('0800000000', 'nok', why),
    arrivals('settle', '014', 'UNKNOWN', member.phone, 'nok', why),
  ])) {
    assert.equal(wrong.status, 1, wrong.output);
  }
  assert.deepEqual(await depositsOf(system, member), []);

  const written = `+66 ${member.phone.slice(1, 3)}-${member.phone.slice(3)}`;
  const done = await settle(written, 'nok', ...why.split(' '));
  assert.equal(done.status, 0, done.output);
  await until(
    () => depositsOf(system, member),
    (amounts) => amounts.length === 1,
    'credited',
  );
  assert.equal((await settle(other.phone, 'nok', 'somebody else asks for it')).status, 1);
  assert.deepEqual([await depositsOf(system, member), await depositsOf(system, other)], [[321], []]);
  assert.equal((await statementOf(system, member))[0]?.from, 'BANK');
  const { rows } = await system.database.query<{ actor: string; note: string }>(
    `select o.actor, a.note from ledger.operation o join deposit_arrival a on a.trans_ref = o.reference
     where o.reference = $1 and o.kind = 'deposit'`,
    [line.transRef],
  );
  assert.deepEqual(rows, [{ actor: 'operator:nok', note: why }]);
  const { output } = await runCommand(system, 'operator-log', ['014', line.transRef]);
  const entry = `operator-log.*nok +arrivals settle to ${member.id} +014 ${line.transRef} +${why}`;
  assert.match(`operator-log ${output}`, new RegExp(`^${entry}\n1 entries\n$`), 'one log of what operators do');
});
