import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { feed, signed } from './bank/bank-api.ts';
import {
  ask,
  inquire,
  Listener,
  newCode,
  OPERATOR,
  outsideFor,
  payQr,
  PERSON,
  temporaryFolder,
  until,
} from './harness.ts';
import { createPlayer, playerBalance, transferIn } from './games/players.ts';
import { ended, ready, run } from './process.ts';

test('everything answered survives kill -9, and a pending callback is still sent', async (t) => {
  const folder = temporaryFolder(t);
  const listener = new Listener();
  t.after(() => listener.stop());
  listener.answer = () => ({ status: 500, body: '{}' });
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor(await listener.start(), 700)));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const first = await ready(t, env);
  await createPlayer(first.address, 'mali01');
  await transferIn(first.address, 'mali01', 'r1', '77.70');
  const made = await newCode(first.address, 'D1');
  await payQr(first.address, made.qrCode);
  await until(() => listener.got.length === 1, 'the first attempt, not accepted');
  first.child.kill('SIGKILL');
  await ended(first.child);

  listener.answer = () => ({ status: 200, body: '{"statusCode":"00"}' });
  const second = await ready(t, env);
  assert.equal(await playerBalance(second.address, 'pg', 'mali01'), '77.70');
  assert.equal((await inquire(second.address, 'D1')).txnStatus, 'PAID');
  await ask(second.address, 'GET', '/control/totals');
  if (listener.got.length === 1) await until(() => listener.got.length === 2, 'the callback after the restart');
  assert.equal(listener.got[1]?.partnerTxnUid, made.partnerTxnUid);
  second.child.kill('SIGTERM');
  assert.equal(await ended(second.child), 0);
});

test('a killed bank keeps its lines, pending pushes and pending payouts', async (t) => {
  const folder = temporaryFolder(t);
  const listener = new Listener();
  t.after(() => listener.stop());
  listener.answerPush = () => ({ status: 500, body: '{}' });
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor(await listener.start())));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const first = await ready(t, env);
  await ask(first.address, 'POST', '/control/settings', { payoutDelayMs: 86_400_000 });
  const late = { target: 'bank', fault: 'callback-late', call: 'line', delayMs: 1500 };
  await ask(first.address, 'POST', '/control/faults', late);
  await ask(first.address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '12.00' });
  const order = { reference: 'W1', from: OPERATOR, to: PERSON, amount: '5.00', currency: 'THB' };
  const accepted = (await signed<object>(first.address, 'POST', '/payouts', order)).body;
  const page = await feed(first.address);
  first.child.kill('SIGKILL');
  await ended(first.child);

  listener.pushes.length = 0;
  listener.answerPush = () => ({ status: 200, body: '{"ok":true}' });
  const second = await ready(t, env);
  assert.deepEqual(await feed(second.address), page);
  assert.deepEqual((await signed<object>(second.address, 'POST', '/payouts', order)).body, accepted);
  await ask(second.address, 'POST', '/control/payouts/W1', { outcome: 'PAID' });
  assert.equal((await feed(second.address, `?after=${page.nextCursor}`)).lines[0]?.reference1, 'W1');
  await until(() => listener.pushes.some(({ to }) => to === 'bank-payout'), 'the callback of the payout');
  const isOwed = ({ to, text }: { to: string; text: string }) => to === 'bank-feed' && text.includes('"12.00"');
  await until(() => listener.pushes.some(isOwed), 'the owed push');
  second.child.kill('SIGTERM');
  assert.equal(await ended(second.child), 0);
});

test('a used port, a wrong port and a missing or wrong file end with a sentence that names them', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'outside.json');
  writeFileSync(file, JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: file, SIMULATORS_PORT: '0' };
  const running = await ready(t, env);
  writeFileSync(join(folder, 'wrong.json'), '{"sms":{}}');
  const cases: [Record<string, string>, RegExp][] = [
    [{ SIMULATORS_PORT: new URL(running.address).port, DATA_DIR: ':memory:' }, /SIMULATORS_PORT \d+ is taken/],
    [{ SIMULATORS_PORT: 'many' }, /SIMULATORS_PORT must be a port/],
    // Empty is the same as none: what is refused is the address.
    [{ SIMULATORS_PORT: '', HOST: '192.0.2.1' }, /^HOST is not an address of this machine/],
    [{ OUTSIDE_FILE: join(folder, 'none.json') }, /OUTSIDE_FILE .*none\.json can't be read/],
    [{ OUTSIDE_FILE: join(folder, 'wrong.json') }, /OUTSIDE_FILE .*wrong\.json is wrong at sms/],
  ];
  for (const [change, sentence] of cases) {
    const { child, output } = run({ ...env, ...change });
    assert.equal(await ended(child), 1);
    assert.match(output(), sentence);
    assert.doesNotMatch(output(), /\n\s+at /);
  }
  running.child.kill('SIGTERM');
  assert.equal(await ended(running.child), 0);
});
