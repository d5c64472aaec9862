import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { insertOffer } from '../bonus/bonus-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  claimCoupon,
  giveCoins,
  moneyPrize,
  singlePrizeWheel,
  wheelSlice,
  spinOnce,
  wheelFileOf,
  winCoupon,
} from './wheel-fixtures.ts';

const REASON_ARGS = ['new', 'prizes', 'for', 'December'];

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

const runWheel = (...commandArgs: string[]): Promise<CommandResult> => runCommand(system, 'wheel', commandArgs);
const logOf = async (subject: string): Promise<string> => (await runCommand(system, 'operator-log', [subject])).output;

function writeWheelFile(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('the wheel command shows the wheel with its odds, publishes a file as a new version, and removes the wheel [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const shownLines = (await runWheel()).output.trimEnd().split('\n');
  assert.equal(shownLines.length, 9);
  assert.match(shownLines[0] ?? '', /^MONEY-20 +180 +18\.00 % {2}MONEY 20\.00 BAHT or 12000\.00 LAK/);
  assert.match(shownLines.at(-1) ?? '', /^version 1, The Golden Wallet Wheel, weights [0-9a-f]{64}$/);
  const content = JSON.parse((await runWheel('file', '1')).output) as {
    slices: { code: string; weight: number; prize: { kind: string; condition?: object } }[];
  };
  // A prize with a condition, such as a bonus, would lock the member's own money.
  assert.deepEqual(
    content.slices.filter(({ prize }) => prize.kind === 'BONUS' || prize.condition !== undefined),
    [],
  );
  for (const slice of content.slices) if (slice.code === 'MONEY-20') slice.weight = 1;
  await giveCoins(system, member.id, 2);
  assert.equal((await spinOnce(system, member)).version, 1);
  const publishResult = await runWheel('publish', writeWheelFile('december.json', content), 'nok', ...REASON_ARGS);
  assert.deepEqual(publishResult, { status: 0, output: 'Version 2 is current from now on, by operator:nok.\n' });
  assert.equal((await spinOnce(system, member)).version, 2);
  assert.match((await runWheel()).output, /^MONEY-20 +1 +0\.12 %/);
  assert.match(await logOf('wheel 2'), new RegExp(`nok +wheel publish +wheel 2 +${REASON_ARGS.join(' ')}`));
  const retireResult = await runWheel('retire', '2', 'lek', 'wrong', 'odds');
  assert.equal(retireResult.output, 'Version 2 is retired, by operator:lek. Version 1 is current now.\n');
  assert.match((await runWheel()).output, /\nversion 1,/);
  assert.match((await runWheel('retire', '2', 'lek', 'wrong', 'odds')).output, /retired already/);
});

function linkToItself(name: string): string {
  symlinkSync(name, join(folder, name));
  return join(folder, name);
}

test('an invalid wheel file publishes nothing, and its fault is located [R-SPIN-04]', async () => {
  const validWheel = singlePrizeWheel({ kind: 'NONE' });
  const bahtOffer = await insertOffer(system, { fixed: 50_00n });
  for (const [path, expectedReason] of [
    [join(folder, 'missing.json'), /missing\.json is missing \(ENOENT\)\.$/m],
    [linkToItself('loop.json'), /loop\.json is a link to itself \(ELOOP\)\.$/m],
    [writeWheelFile('text.json', 'not json'), /is not JSON/],
    [writeWheelFile('large.json', `[${' '.repeat(1_048_576)}]`), /is larger than 1048576 bytes/],
    [writeWheelFile('empty.json', {}), /Nothing is published[\s\S]*name: [\s\S]*slices: /],
    [
      writeWheelFile('twice.json', { ...validWheel, slices: [validWheel.slices[0], validWheel.slices[0]] }),
      /slices: a code twice/,
    ],
    [
      writeWheelFile('nobody.json', singlePrizeWheel({ kind: 'BONUS', bonus: 'NOBODY' })),
      /no bonus NOBODY gives a fixed amount/,
    ],
    [writeWheelFile('promotion.json', singlePrizeWheel({ kind: 'BONUS', bonus: 'KRAPAO100' })), /no bonus KRAPAO100/],
    [
      writeWheelFile('baht.json', singlePrizeWheel({ kind: 'BONUS', bonus: bahtOffer })),
      new RegExp(`A: no bonus ${bahtOffer} gives a fixed amount in LAK:`),
    ],
    [
      writeWheelFile('zero.json', wheelFileOf(wheelSlice('A', 0, { kind: 'NONE' }), ...validWheel.slices)),
      /slices\.0\.weight/,
    ],
  ] as const) {
    const { status, output } = await runWheel('publish', path, 'nok', ...REASON_ARGS);
    assert.equal(status, 1);
    assert.match(output, expectedReason);
  }
  const usageArgs = [
    ['publish', 'x.json'],
    ['publish', 'x.json', 'nok', 'why'],
    ['retire'],
    ['turn', '1', 'nok', ...REASON_ARGS],
  ];
  for (const commandArgs of usageArgs) {
    assert.match(
      (await runWheel(...commandArgs)).output,
      /(?:^|\. )Write `krapao wheel` to see it|at least five letters/,
    );
  }
  assert.match((await runWheel('file', '99')).output, /There is no version 99/);
  assert.match((await runWheel()).output, /\nversion 1,/);
});

test('goods are listed until an operator has handed them over; a money coupon cannot be handed over [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const goodsCoupon = await winCoupon(system, member, { kind: 'GOODS' });
  const cashCoupon = await winCoupon(system, member, moneyPrize('20.00'));
  const { output } = await runWheel('goods');
  assert.match(
    output,
    new RegExp(
      `^${goodsCoupon}  [\\d-]{10} [\\d:]{8}\\+07:00  .* member ${member.id} \\(${member.phone}\\)\n1 coupons for goods wait\n$`,
    ),
  );
  assert.match((await runWheel('hand', 'no coupon', 'nok', 'posted', 'today')).output, /No coupon for goods waits/);
  assert.match((await runWheel('hand', cashCoupon, 'nok', 'posted', 'today')).output, /No coupon for goods waits/);
  assert.equal((await runWheel('hand', goodsCoupon, 'nok', 'posted', 'today')).status, 0);
  assert.match((await runWheel('hand', goodsCoupon, 'nok', 'posted', 'today')).output, /No coupon for goods waits/);
  assert.match(await logOf(goodsCoupon), /nok +wheel hand +.* posted today/);
  assertRefused(await claimCoupon(system, member, goodsCoupon), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
  assert.equal((await claimCoupon(system, member, cashCoupon)).body.success, true);
});
