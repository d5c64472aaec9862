import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Ended, runCommand } from '../harness/command.ts';
import { registerMember } from '../harness/members.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { makeOffer } from '../bonus/bonus-world.ts';
import { claim, giveCoins, money, onlyWheel, sliceOf, spinOnce, wheelOf, win } from './wheel-world.ts';

const WHY = ['new', 'prizes', 'for', 'December'];

let system: System;
let folder: string;
before(async () => {
  system = await startSystem();
  folder = mkdtempSync(join(tmpdir(), 'krapao-wheel-'));
});
after(async () => {
  await system.stop();
  rmSync(folder, { recursive: true });
});

const wheel = (...words: string[]): Promise<Ended> => runCommand(system, 'wheel', words);
const logOf = async (subject: string): Promise<string> => (await runCommand(system, 'operator-log', [subject])).output;

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('the wheel is shown with its odds, changed as a file, published as a version of its own, and taken away again [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const shown = (await wheel()).output.trimEnd().split('\n');
  assert.equal(shown.length, 9);
  assert.match(shown[0] ?? '', /^MONEY-20 +180 +18\.00 % {2}MONEY 20\.00 BAHT or 12000\.00 LAK/);
  assert.match(shown.at(-1) ?? '', /^version 1, The Golden Wallet Wheel, weights [0-9a-f]{64}$/);
  const content = JSON.parse((await wheel('file', '1')).output) as { slices: { code: string; weight: number }[] };
  for (const slice of content.slices) if (slice.code === 'MONEY-20') slice.weight = 1;
  await giveCoins(system, member.id, 2);
  assert.equal((await spinOnce(system, member)).version, 1);
  const published = await wheel('publish', file('december.json', content), 'nok', ...WHY);
  assert.deepEqual(published, { status: 0, output: 'Version 2 is current from now on, by operator:nok.\n' });
  assert.equal((await spinOnce(system, member)).version, 2);
  assert.match((await wheel()).output, /^MONEY-20 +1 +0\.12 %/);
  assert.match(await logOf('wheel 2'), new RegExp(`nok +wheel publish +wheel 2 +${WHY.join(' ')}`));
  const retired = await wheel('retire', '2', 'lek', 'wrong', 'odds');
  assert.equal(retired.output, 'Version 2 is retired, by operator:lek. Version 1 is current now.\n');
  assert.match((await wheel()).output, /\nversion 1,/);
  assert.match((await wheel('retire', '2', 'lek', 'wrong', 'odds')).output, /retired already/);
});

test('a file that is no wheel publishes nothing, and says where it is wrong [R-SPIN-04]', async () => {
  const good = onlyWheel({ kind: 'NONE' });
  const bahtOnly = await makeOffer(system, { fixed: 50_00n });
  for (const [path, why] of [
    [join(folder, 'missing.json'), /is missing, or is not JSON/],
    [file('text.json', 'not json'), /is missing, or is not JSON/],
    [file('empty.json', {}), /Nothing is published[\s\S]*name: [\s\S]*slices: /],
    [file('twice.json', { ...good, slices: [good.slices[0], good.slices[0]] }), /slices: a code twice/],
    [file('nobody.json', onlyWheel({ kind: 'BONUS', bonus: 'NOBODY' })), /no bonus NOBODY gives a fixed amount/],
    [file('promotion.json', onlyWheel({ kind: 'BONUS', bonus: 'KRAPAO100' })), /no bonus KRAPAO100/],
    [
      file('baht.json', onlyWheel({ kind: 'BONUS', bonus: bahtOnly })),
      new RegExp(`A: no bonus ${bahtOnly} gives a fixed amount in LAK:`),
    ],
    [file('zero.json', wheelOf(sliceOf('A', 0, { kind: 'NONE' }), ...good.slices)), /slices\.0\.weight/],
  ] as const) {
    const { status, output } = await wheel('publish', path, 'nok', ...WHY);
    assert.equal(status, 1);
    assert.match(output, why);
  }
  const usages = [['publish', 'x.json'], ['publish', 'x.json', 'nok', 'why'], ['retire'], ['turn', '1', 'nok', ...WHY]];
  for (const words of usages) assert.match((await wheel(...words)).output, /^Write `npm run krapao -- wheel`/);
  assert.match((await wheel('file', '99')).output, /There is no version 99/);
  assert.match((await wheel()).output, /\nversion 1,/);
});

test('goods are listed until an operator has handed them over; a coupon for money can not be [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const bag = await win(system, member, { kind: 'GOODS' });
  const cash = await win(system, member, money('20.00'));
  const { output } = await wheel('goods');
  assert.match(
    output,
    new RegExp(
      `^${bag}  [\\d-]{10} [\\d:]{8}  .* member ${member.id} \\(${member.phone}\\)\n1 coupons for goods wait\n$`,
    ),
  );
  assert.match((await wheel('hand', 'no coupon', 'nok', 'posted', 'today')).output, /No coupon for goods waits/);
  assert.match((await wheel('hand', cash, 'nok', 'posted', 'today')).output, /No coupon for goods waits/);
  assert.equal((await wheel('hand', bag, 'nok', 'posted', 'today')).status, 0);
  assert.match((await wheel('hand', bag, 'nok', 'posted', 'today')).output, /No coupon for goods waits/);
  assert.match(await logOf(bag), /nok +wheel hand +.* posted today/);
  assertRefused(await claim(system, member, bag), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
  assert.equal((await claim(system, member, cash)).body.success, true);
});
