import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compareBooks } from '../../../lab/cluster/faults/books.mjs';
import { nextCommand } from '../../../lab/cluster/faults/commands.mjs';
import { forEachConcurrent } from '../../../lab/cluster/faults/concurrency.mjs';
import { longestGap } from '../../../lab/cluster/faults/gaps.mjs';
import { GROUPS, KINDS, kindsOf, needsOlder } from '../../../lab/cluster/faults/kinds/kinds.mjs';
import { readOptions } from '../../../lab/cluster/faults/options.mjs';
import { seededRandom } from '../../../lab/cluster/faults/random.mjs';
import {
  areCopies,
  isAsAcknowledged,
  isKept,
  isUnknown,
  isViolation,
  movedAmounts,
} from '../../../lab/cluster/faults/replies.mjs';
import { tableOf, totalsOf, violationsOf } from '../../../lab/cluster/faults/report.mjs';
import { isBeside, oldestBeside } from '../../../lab/cluster/older-version.mjs';
import { ROOT, UserError } from '../../install.mjs';

const restsInWallet = { status: 502, body: { message: 'TRANSFER_FAIL', detail: 'RESTS_IN_WALLET' } };

test('the fault run classifies a reply as acknowledged, unknown or a violation by status and body', () => {
  const doneReply = { status: 200, body: { reference: 'r' } };
  assert.ok(isKept(doneReply) && isKept({ status: 202, body: {} }) && isKept(restsInWallet));
  assert.ok(!isKept({ status: 409, body: { message: 'MONEY_NOT_ENOUGH' } }));
  assert.ok(!isKept({ status: 200, body: { success: false } }));
  assert.ok([0, 503].every((status) => isUnknown({ status, body: {} })) && isUnknown({ status: 502 }));
  assert.ok(!isUnknown(restsInWallet));
  assert.ok(isViolation({ status: 500, body: {} }) && isViolation({ status: 503, hasRetryAfter: false }));
  assert.ok(!isViolation({ status: 500 }) && !isViolation({ status: 503, hasRetryAfter: true }));
});

test('an acknowledgement is repeated unchanged, and a pending reply ends either way', () => {
  const doneReply = { status: 200, body: { reference: 'r', status: 'DONE' } };
  const pendingReply = { status: 202, body: { reference: 'r' } };
  assert.ok(isAsAcknowledged(doneReply, { ...doneReply }) && isAsAcknowledged(pendingReply, doneReply));
  assert.ok(isAsAcknowledged(pendingReply, { status: 502, body: { message: 'TRANSFER_FAIL' } }));
  assert.ok(isAsAcknowledged(pendingReply, restsInWallet));
  assert.ok(!isAsAcknowledged(doneReply, pendingReply));
  assert.ok(!isAsAcknowledged(doneReply, { status: 200, body: { reference: 'other', status: 'DONE' } }));
  assert.ok(!isAsAcknowledged(pendingReply, { status: 200, body: { reference: 'other' } }));
  assert.ok(!isAsAcknowledged(pendingReply, { status: 409, body: { message: 'MONEY_NOT_ENOUGH' } }));
});

test('replies to one key sent twice concurrently belong to one command', () => {
  const doneReply = { status: 200, body: { reference: 'r' } };
  const pendingReply = { status: 202, body: { reference: 'r' } };
  assert.ok(areCopies([]) && areCopies([doneReply]) && areCopies([doneReply, { ...doneReply }]));
  assert.ok(
    areCopies([doneReply, pendingReply]) &&
      areCopies([pendingReply, doneReply]) &&
      areCopies([restsInWallet, pendingReply]),
  );
  assert.ok(!areCopies([doneReply, { status: 200, body: { reference: 'other' } }]));
});

test('only the final reply of a command counts as moved money', () => {
  const betweenGames = { from: 'pg', to: 'joker2', amount: 3 };
  const finalReply = { status: 200, body: { reference: 'r' } };
  assert.deepEqual(movedAmounts({ request: { body: betweenGames }, final: finalReply }, 'pg'), { in: 0, out: 300 });
  assert.deepEqual(movedAmounts({ request: { body: betweenGames }, final: finalReply }, 'joker2'), { in: 300, out: 0 });
  assert.deepEqual(movedAmounts({ request: { body: betweenGames }, final: restsInWallet }, 'pg'), { in: 0, out: 300 });
  assert.deepEqual(movedAmounts({ request: { body: betweenGames }, final: restsInWallet }, 'joker2'), {
    in: 0,
    out: 0,
  });
  const transferAll = { request: { body: { to: 'pg' } }, final: { status: 200, body: { amount: 12.34 } } };
  assert.deepEqual(movedAmounts(transferAll, 'pg'), { in: 1234, out: 0 });
});

function fixture() {
  const member = { accountNo: '5000000017', isSweeper: false };
  const game = { in: 0, out: 0 };
  const balanceBefore = { wallet: 10_000, inTransit: 0, bank: { paidIn: 0, paidOut: 0 }, games: [game, game] };
  const record = {
    member,
    request: { body: { from: 'WALLET', to: 'pg', amount: 20 } },
    final: { status: 200, body: {} },
  };
  const balanceAfter = (changes) => new Map([[member, { ...balanceBefore, ...changes }]]);
  const compareChanges = (changes, records = [record]) =>
    compareBooks({ records, members: [member], before: balanceAfter({}), after: balanceAfter(changes) });
  return { compare: compareChanges, game, member, record };
}

test("money lost or doubled is visible in its member's books", () => {
  const { compare, game, member, record } = fixture();
  const movedCredit = [{ in: 2_000, out: 0 }, game];
  assert.deepEqual(compare({ wallet: 8_000, games: movedCredit }), []);
  assert.deepEqual(compare({ wallet: 7_000, inTransit: 1_000, games: movedCredit }), []);
  assert.deepEqual(compare({ wallet: 7_999, games: movedCredit }), ['account 5000000017: wallet 7999 instead of 8000']);
  assert.deepEqual(compare({ wallet: 6_000, games: [{ in: 4_000, out: 0 }, game] }), [
    'account 5000000017: pg in 4000 instead of 2000',
  ]);
  assert.deepEqual(compare({ wallet: 10_000 }), ['account 5000000017: pg in 0 instead of 2000']);
  assert.deepEqual(compare({ wallet: 13_000, games: movedCredit, bank: { paidIn: 10_000, paidOut: 5_000 } }), []);
  member.isSweeper = true;
  assert.deepEqual(compare({ wallet: 10_000 }, []), []);
  assert.equal(compare({ wallet: 10_001 }, [record]).length, 1);
});

test('the longest gap includes the time from the beginning, between acknowledgements, and to the end', () => {
  assert.equal(longestGap([], 0, 50), 50);
  assert.equal(longestGap([1, 2, 30, 31], 0, 40), 28);
  assert.equal(longestGap([1, 2, 30, 31], 10, 32), 20);
  assert.equal(longestGap([1, 2, 30, 31], 30, 90), 59);
  const items = Array.from({ length: 500_000 }, (_, index) => index);
  assert.equal(longestGap(items, 0, 500_000), 1);
});

test('each item of a list is processed once, with limited concurrency', async () => {
  const finishedItems = [];
  let [now, mostConcurrent] = [0, 0];
  await forEachConcurrent(
    Array.from({ length: 20 }, (_, index) => index),
    async (item) => {
      mostConcurrent = Math.max(mostConcurrent, (now += 1));
      await wait(1);
      now -= 1;
      finishedItems.push(item);
    },
    4,
  );
  assert.equal(mostConcurrent, 4);
  assert.deepEqual(
    finishedItems.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index),
  );
});

test('a seed always gives the same commands, of every kind', () => {
  const names = (isSweeper) => {
    const random = seededRandom(3);
    return Array.from({ length: 400 }, () => nextCommand(random, { isSweeper }).name);
  };
  assert.deepEqual(names(true), names(true));
  const kinds = ['deposit-bank', 'deposit-qrcode', 'spin', 'transfer-all', 'transfer-between', 'transfer-in'];
  assert.deepEqual(new Set(names(true)), new Set([...kinds, 'transfer-out', 'withdraw-all', 'withdrawal']));
  assert.ok(!names(false).includes('withdraw-all'));
});

test('every fault belongs to one group, and upgrade faults need an older version', () => {
  const allKinds = Object.keys(KINDS);
  const groupedKinds = Object.keys(GROUPS).flatMap((group) => kindsOf(group, allKinds, true));
  assert.equal(groupedKinds.length, allKinds.length);
  assert.deepEqual(new Set(groupedKinds), new Set(allKinds));
  assert.ok(kindsOf('nodes', allKinds, true).includes('rolling upgrade and back'));
  assert.ok(needsOlder(allKinds) && !needsOlder(['leader killed']));
  assert.ok(!kindsOf('nodes', allKinds, false).includes('rolling upgrade and back'));
});

test('invalid options of the fault run are refused', () => {
  assert.equal(readOptions([]).minutes, 15);
  assert.deepEqual(readOptions(['--faults', 'leader killed, strict without standby']).kinds, [
    'leader killed',
    'strict without standby',
  ]);
  for (const args of [
    ['--rate', 'much'],
    ['--faults', 'flood'],
    ['--members', '0'],
    ['--members', '100000'],
  ])
    assert.throws(() => readOptions(args), UserError);
});

test('a late first command or an unrepaired fault is a violation, and no other row is', () => {
  const violations = violationsOf([
    { kind: 'leader killed', gapMs: 30_001 },
    { kind: 'leader killed', gapMs: 29_999 },
    { kind: 'etcd gone', gapMs: 40_000 },
    { kind: 'disk full', gapMs: 0, error: 'no end in time' },
    { kind: 'node killed', note: '' },
  ]);
  assert.deepEqual(violations, ['disk full: no end in time', 'leader killed: first money command after 30.0 s']);
});

test('table and totals count commands, calls, reads and faults separately', () => {
  const rows = [
    { kind: 'switchover', gapMs: 2_345, unavailable: 3 },
    { kind: 'switchover', gapMs: 1_000, unavailable: 4 },
    { kind: 'node killed', unavailable: 0 },
  ];
  const outsideResult = { counts: { garbage: 5, slow: 2 }, unmet: 1 };
  assert.deepEqual(
    tableOf(rows, outsideResult.counts)
      .split('\n')
      .map((line) => line.split(/\s{2,}/)),
    [
      ['fault', 'number', 'longest gap', '503s'],
      ['switchover', '2', '2.3 s', '7'],
      ['node killed', '1', '0'],
      ['outside: garbage', '5'],
      ['outside: slow', '2'],
    ],
  );
  const sentCommands = new Map([
    ['spin', 2],
    ['deposit-bank', 3],
  ]);
  const loadResult = {
    sent: sentCommands,
    records: [{}, {}],
    calls: 9,
    copies: 1,
    reads: 4,
    statuses: new Map([
      [503, 1],
      [200, 8],
    ]),
  };
  const run = {
    options: { seed: 1 },
    older: undefined,
    seconds: 10,
    rows,
    load: loadResult,
    outside: outsideResult,
    proof: { compared: 6 },
  };
  const totals = totalsOf(run);
  assert.deepEqual(
    [totals.moneyCommands, totals.keys, totals.calls, totals.reads, totals.clusterFaults, totals.outsideFaults],
    [5, 2, 9, 4, 3, 7],
  );
  assert.deepEqual(Object.keys(totals.commands), ['deposit-bank', 'spin']);
});

const migrations = (...rows) =>
  new Map(rows.map(([number, oldestProgram]) => [number, { content: `hash of ${number}`, oldestProgram }]));

test('an older version may serve beside the current one where every newer migration declares it', () => {
  assert.ok(isBeside(migrations([200], [230]), migrations([200], [230])));
  assert.ok(isBeside(migrations([200], [230]), migrations([200], [230], [231, 230])));
  assert.ok(!isBeside(migrations([200]), migrations([200], [230], [231, 230])));
  assert.ok(!isBeside(migrations([200], [230]), migrations([200], [230], [231])));
  assert.ok(!isBeside(migrations([200], [229]), migrations([200], [230, 200])));
  const changedMigrations = migrations([200], [230]);
  changedMigrations.get(200).content = 'other';
  assert.ok(!isBeside(changedMigrations, migrations([200], [230])));
});

test('the upgrade starts from the oldest version with other programs, installed packages and a fitting schema', () => {
  const versionOf = (programs, packages, ...rows) => ({
    programs,
    packages: new Map(packages.map((name) => [name, '1.0.0'])),
    migrations: migrations(...rows),
  });
  const currentVersion = versionOf('p4', ['a', 'b'], [200], [230]);
  const sameVersion = versionOf('p4', ['a', 'b'], [200], [230]);
  const newerVersion = versionOf('p3', ['a', 'b'], [200], [230]);
  const olderVersion = versionOf('p2', ['a'], [200], [230]);
  const otherVersions = [versionOf('p1', ['a', 'c'], [200], [230]), versionOf('p0', ['a'], [200])];
  assert.equal(oldestBeside(currentVersion, [sameVersion, newerVersion, olderVersion, ...otherVersions]), olderVersion);
  assert.equal(oldestBeside(currentVersion, [sameVersion, ...otherVersions]), undefined);
});

test('the cluster and its fault run refuse an unknown option with a message', () => {
  for (const program of ['main.mjs', 'faults/main.mjs']) {
    const args = [join(ROOT, 'lab/cluster', program), '--nothing'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(stderr, "Unknown option '--nothing'\n");
  }
});
