import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { feed, signed } from './bank/bank-api.ts';
import { createPlayer, playerBalance, transferIn } from './games/players.ts';
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
import { ended, ready, run } from './process.ts';

test('every acknowledged change survives kill -9, and a pending callback is still sent', async (t) => {
  const folder = temporaryFolder(t);
  const listener = new Listener();
  t.after(() => listener.stop());
  listener.answer = () => ({ status: 500, body: '{}' });
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor(await listener.start(), 700)));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const firstProcess = await ready(t, env);
  await createPlayer(firstProcess.address, 'mali01');
  await transferIn(firstProcess.address, 'mali01', 'r1', '77.70');
  const newQrCode = await newCode(firstProcess.address, 'D1');
  await payQr(firstProcess.address, newQrCode.qrCode);
  await until(() => listener.got.length === 1, 'the first attempt, not accepted');
  firstProcess.child.kill('SIGKILL');
  await ended(firstProcess.child);

  listener.answer = () => ({ status: 200, body: '{"statusCode":"00"}' });
  const secondProcess = await ready(t, env);
  assert.equal(await playerBalance(secondProcess.address, 'pg', 'mali01'), '77.70');
  assert.equal((await inquire(secondProcess.address, 'D1')).txnStatus, 'PAID');
  await ask(secondProcess.address, 'GET', '/control/totals');
  if (listener.got.length === 1) await until(() => listener.got.length === 2, 'the callback after the restart');
  assert.equal(listener.got[1]?.partnerTxnUid, newQrCode.partnerTxnUid);
  secondProcess.child.kill('SIGTERM');
  assert.equal(await ended(secondProcess.child), 0);
});

test('a killed bank keeps its lines, pending pushes and pending payouts', async (t) => {
  const folder = temporaryFolder(t);
  const listener = new Listener();
  t.after(() => listener.stop());
  listener.answerPush = () => ({ status: 500, body: '{}' });
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(outsideFor(await listener.start())));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: join(folder, 'outside.json'), SIMULATORS_PORT: '0' };
  const firstProcess = await ready(t, env);
  await ask(firstProcess.address, 'POST', '/control/settings', { payoutDelayMs: 86_400_000 });
  const lateFault = { target: 'bank', fault: 'callback-late', call: 'line', delayMs: 1500 };
  await ask(firstProcess.address, 'POST', '/control/faults', lateFault);
  await ask(firstProcess.address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '12.00' });
  const payoutOrder = { reference: 'W1', from: OPERATOR, to: PERSON, amount: '5.00', currency: 'THB' };
  const acceptedReply = (await signed<object>(firstProcess.address, 'POST', '/payouts', payoutOrder)).body;
  const page = await feed(firstProcess.address);
  firstProcess.child.kill('SIGKILL');
  await ended(firstProcess.child);

  listener.pushes.length = 0;
  listener.answerPush = () => ({ status: 200, body: '{"ok":true}' });
  const secondProcess = await ready(t, env);
  assert.deepEqual(await feed(secondProcess.address), page);
  assert.deepEqual((await signed<object>(secondProcess.address, 'POST', '/payouts', payoutOrder)).body, acceptedReply);
  await ask(secondProcess.address, 'POST', '/control/payouts/W1', { outcome: 'PAID' });
  assert.equal((await feed(secondProcess.address, `?after=${page.nextCursor}`)).lines[0]?.reference1, 'W1');
  await until(() => listener.pushes.some(({ to }) => to === 'bank-payout'), 'the callback of the payout');
  const isOwed = ({ to, text }: { to: string; text: string }) => to === 'bank-feed' && text.includes('"12.00"');
  await until(() => listener.pushes.some(isOwed), 'the owed push');
  secondProcess.child.kill('SIGTERM');
  assert.equal(await ended(secondProcess.child), 0);
});

test('a used port, a wrong port and a missing or wrong file end with a sentence that names them', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'outside.json');
  writeFileSync(file, JSON.stringify(outsideFor('http://127.0.0.1:1/')));
  const env = { DATA_DIR: folder, OUTSIDE_FILE: file, SIMULATORS_PORT: '0' };
  const runningProcess = await ready(t, env);
  writeFileSync(join(folder, 'wrong.json'), '{"sms":{}}');
  const cases: [Record<string, string>, RegExp][] = [
    [{ SIMULATORS_PORT: new URL(runningProcess.address).port, DATA_DIR: ':memory:' }, /SIMULATORS_PORT \d+ is taken/],
    [{ SIMULATORS_PORT: 'many' }, /SIMULATORS_PORT must be a port/],
    // An empty port counts as unset, so the refusal concerns the address.
    [{ SIMULATORS_PORT: '', HOST: '192.0.2.1' }, /^HOST is not an address of this machine/],
    [{ OUTSIDE_FILE: join(folder, 'none.json') }, /OUTSIDE_FILE .*none\.json can't be read/],
    [{ OUTSIDE_FILE: join(folder, 'wrong.json') }, /OUTSIDE_FILE .*wrong\.json is wrong at sms/],
  ];
  for (const [environment, expectedMessage] of cases) {
    const { child, output } = run({ ...env, ...environment });
    assert.equal(await ended(child), 1);
    assert.match(output(), expectedMessage);
    assert.doesNotMatch(output(), /\n\s+at /);
  }
  runningProcess.child.kill('SIGTERM');
  assert.equal(await ended(runningProcess.child), 0);
});
