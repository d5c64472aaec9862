import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type SpinToVerify, verifySpin, weightsText } from '@krapao/contract/fair-draw';
import vectors from '../../../contract/test/fair-draw-vectors.json' with { type: 'json' };
import { drawIndex } from '../../src/modules/spinwheel/spinwheel.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  giveCoins,
  moneyPrize,
  publishTestWheel,
  wheelSlice,
  spinWheel,
  spinOnce,
  wheelFileOf,
} from './wheel-fixtures.ts';

const WEB_HASHING = {
  sha256: async (bytes: Uint8Array) => createHash('sha256').update(bytes).digest(),
  hmacSha256: async (key: Uint8Array, message: string) => createHmac('sha256', key).update(message).digest(),
};

let system: System;
before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'spin.member': 100_000, 'spin-seed.member': 100_000 });
});
after(() => system.stop());

type FairnessReply = { commitment: string; nextCommitment: string; clientSeed: string; nonce: number };
type PastSpin = Omit<SpinToVerify, 'serverSeed'> & { serverSeed: string | null; spinId: string; version: number };

const readSetup = async ({ token }: TestMember) =>
  (await system.api('GET /api/spinwheel/setup', { token })).body.result;
const readFairness = async (member: TestMember): Promise<FairnessReply> => (await readSetup(member)).fairness;
const rotateSeed = ({ token }: TestMember, body: unknown = {}) =>
  system.api('POST /api/spinwheel/seed', { token, body });
const readPastSpins = async ({ token }: TestMember, body: unknown = { limit: 100 }) =>
  (await system.api('POST /api/spinwheel/spins', { token, body })).body as { total: number; spins: PastSpin[] };

const mixedWheel = (blankWeight: number) =>
  wheelFileOf(wheelSlice('WIN', 1, moneyPrize('20.00')), wheelSlice('NONE', blankWeight, { kind: 'NONE' }));

for (const { name, weights, code, ...spin } of vectors) {
  test(`the server draws the published vector: ${name} [R-SPIN-04]`, async () => {
    assert.equal(weights[await drawIndex(weights, spin)]?.code, code);
  });
}

test('every spin of a member can be verified once its seed is revealed, across wheel versions and client seeds [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 30);
  const madeSpins: { spinId: string; code: string; version: number; commitment: string }[] = [];
  for (const clientSeed of [undefined, 'mine: with colons', 'แอบ'.replaceAll(/./gu, 'x')]) {
    const before = await readFairness(member);
    for (const blankWeight of [1, 3]) {
      const version = await publishTestWheel(system, mixedWheel(blankWeight));
      const { activeSpinwheel } = await readSetup(member);
      assert.equal(activeSpinwheel.version, version);
      const weights = weightsText(activeSpinwheel.sliceList);
      assert.equal(activeSpinwheel.weightsHash, createHash('sha256').update(weights).digest('hex'));
      for (let round = 0; round < 5; round += 1) {
        const result = await spinOnce(system, member);
        assert.equal(result.version, version, 'the version of the moment');
        madeSpins.push({ spinId: result.spinId, code: result.code, version, commitment: before.commitment });
      }
    }
    assert.equal((await readFairness(member)).nonce, 10);
    const { revealed, fairness } = (await rotateSeed(member, clientSeed === undefined ? {} : { clientSeed })).body;
    assert.equal(revealed.commitment, before.commitment);
    assert.equal(
      fairness.commitment,
      before.nextCommitment,
      'the operator was bound to it before it knew the client seed',
    );
    assert.notEqual(fairness.nextCommitment, before.nextCommitment);
    assert.deepEqual([fairness.clientSeed, fairness.nonce], [clientSeed ?? before.clientSeed, 0]);
    assert.deepEqual(await readFairness(member), fairness);
  }
  const { total, spins } = await readPastSpins(member);
  assert.equal(total, 30);
  assert.deepEqual(
    spins.map(({ spinId, code, version, commitment }) => ({ spinId, code, version, commitment })),
    madeSpins.toReversed(),
  );
  for (const { serverSeed, ...past } of spins) {
    assert.ok(serverSeed);
    assert.deepEqual(await verifySpin({ ...past, serverSeed }, WEB_HASHING), {
      isSeedCommitted: true,
      drawnCode: past.code,
      isProven: true,
    });
    assert.equal(
      (await verifySpin({ ...past, serverSeed, nonce: past.nonce + 1_000, code: 'NO' }, WEB_HASHING)).isProven,
      false,
    );
  }
});

test('the seed in use is disclosed neither by the wheel, nor by spins, nor in the database [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 1);
  await publishTestWheel(system, mixedWheel(1));
  await spinOnce(system, member);
  const { spins } = await readPastSpins(member);
  assert.equal(spins[0]?.serverSeed, null);
  const storedRows = JSON.stringify(
    (
      await system.database.query(
        'select *, encode(sealed_seed, $2) as sealed from spinwheel_seed where member_id = $1',
        [member.id, 'hex'],
      )
    ).rows,
  );
  const { revealed } = (await rotateSeed(member)).body;
  assert.match(revealed.serverSeed, /^[0-9a-f]{64}$/);
  assert.ok(!storedRows.includes(revealed.serverSeed), 'it was sealed');
  assert.ok(!storedRows.includes(Buffer.from(revealed.serverSeed).toString('hex')));
  assert.equal((await readPastSpins(member)).spins[0]?.serverSeed, revealed.serverSeed);
});

test('with concurrent spins and seed changes each spin has its own number under a committed seed [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await publishTestWheel(system, mixedWheel(2));
  await giveCoins(system, member.id, 20);
  await Promise.all([
    ...Array.from({ length: 20 }, () => spinWheel(system, member)),
    ...Array.from({ length: 5 }, () => rotateSeed(member)),
  ]);
  await rotateSeed(member);
  const { total, spins } = await readPastSpins(member);
  assert.equal(total, 20);
  assert.equal(new Set(spins.map(({ commitment, nonce }) => `${commitment} ${nonce}`)).size, 20);
  for (const { serverSeed, ...past } of spins) {
    assert.equal((await verifySpin({ ...past, serverSeed: serverSeed ?? '' }, WEB_HASHING)).isProven, true);
  }
});

test('spins are listed in pages, and only to their member [R-SPIN-04]', async () => {
  const [member, otherMember] = [await registerMember(system), await registerMember(system)];
  await giveCoins(system, member.id, 5);
  const ids: string[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) ids.unshift((await spinOnce(system, member)).spinId);
  const spinPages = await Promise.all([1, 2, 3, 4].map((page) => readPastSpins(member, { page, limit: 2 })));
  assert.deepEqual(
    spinPages.map(({ spins }) => spins.map(({ spinId }) => spinId)),
    [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []],
  );
  assert.deepEqual(await readPastSpins(otherMember), { total: 0, spins: [] });
  const [ownFairness, otherFairness] = [await readFairness(member), await readFairness(otherMember)];
  assert.notEqual(ownFairness.commitment, otherFairness.commitment);
});

test('a client seed has 1 to 32 plain characters, and changes of it are limited [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const before = await readFairness(member);
  for (const clientSeed of ['', 'x'.repeat(33), 'ไทย', 'line\nbreak', 7, null, ['a']]) {
    assertRefused(await rotateSeed(member, { clientSeed }), 'INVALID_CODE', 'clientSeed', 400);
  }
  assert.deepEqual(await readFairness(member), before, 'nothing was revealed');
  await setRateLimits(system, { 'spin-seed.member': 1 });
  assert.equal((await rotateSeed(member, { clientSeed: '~ !' })).status, 200);
  assertRefused(await rotateSeed(member), 'REQUEST_LIMIT');
  await setRateLimits(system, { 'spin-seed.member': 100_000 });
});
