import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import type { Ledger } from '../../src/ledger/module.ts';
import {
  assertBooksAgree,
  behave,
  creditOf,
  type GameCode,
  legStates,
  maintain,
  misbehave,
  multiplierOf,
  openGame,
  providersWithin,
  settled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { callNamesOf, type FaultCase, FAULTY_TIMEOUT_MS, faultCases, testedGames } from '../harness/provider-calls.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Providers at once: their calls mostly wait, but the machine must answer in time what is not meant to be late. */
const AT_ONCE = 3;
const STATUS = { DONE: 'SUCCESS', REVERSED: 'FAILED' } as const;
const MOVED = 4_050n;

type Player = TestMember & {
  names: Map<GameCode, string>;
  /** What should lie in the games and in the wallet in the end, in satang. */
  inGame: Map<GameCode, bigint>;
  wallet: bigint;
};
type Run = { wanted: FaultCase; player: Player; reference: string };

describe('every provider, misbehaving in every way', () => {
  let system: System;
  let ledger: Ledger;
  /** One member for each way to fail. */
  const players: Player[] = [];
  before(async () => {
    system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
    ledger = ledgerOf(system);
    for (const _ of faultCases) {
      const member = await registerMember(system);
      const names = new Map<GameCode, string>();
      for (const code of testedGames) names.set(code, (await openGame(system, member.token, code)).username);
      players.push({ ...member, names, inGame: new Map(), wallet: 0n });
    }
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const book = (player: Player, code: GameCode, satang: bigint) => {
    player.inGame.set(code, (player.inGame.get(code) ?? 0n) + satang);
    player.wallet -= satang;
  };

  async function begin(code: GameCode, direction: 'in' | 'out', wanted: FaultCase, player: Player): Promise<Run> {
    await fund(ledger, player.id, '100.00');
    player.wallet += 10_000n;
    if (direction === 'out') {
      const moved = await transfer(system, player.token, { from: 'WALLET', to: code, amount: 100 });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
      book(player, code, 10_000n);
    }
    const { name, told, ends, ...fault } = wanted;
    await misbehave(system, code, { ...fault, call: callNamesOf(code)[direction] });
    const [from, to] = direction === 'in' ? ['WALLET', code] : [code, 'WALLET'];
    const { status, body } = await transfer(system, player.token, { from, to, amount: 40.5 });
    await behave(system, code);
    if (ends === 'DONE') book(player, code, direction === 'in' ? MOVED : -MOVED);
    const answer = [status, body.status ?? body.message];
    const isEarly = told === 'PROCESSING' && status === 200;
    // One that can be asked may have told before the answer left.
    if (isEarly) assert.deepEqual([ends, answer], ['DONE', [200, 'DONE']], name);
    else assert.deepEqual(answer, [{ DONE: 200, PROCESSING: 202, TRANSFER_FAIL: 502 }[told], told], name);
    return { wanted, player, reference: body.reference ?? '' };
  }

  async function assertRight(code: GameCode, direction: 'in' | 'out', run: Run): Promise<void> {
    const { wanted, player, reference } = run;
    const expected = player.inGame.get(code) ?? 0n;
    const { free, held } = await balanceOf(ledger, player.id, `GAME:${code}`);
    assert.deepEqual([free, held], [toDecimal(expected), '0.00'], wanted.name);
    const there = await creditOf(system, code, player.names.get(code) ?? '');
    assert.equal(there, toDecimal(minor(expected * multiplierOf(code))), wanted.name);
    if (reference === '') return;
    assert.deepEqual(await legStates(system, reference), [wanted.ends], wanted.name);
    const told = (await ledger.eventsSince(player.id, 0n)).filter((one) => one.reference === reference);
    assert.equal(told.at(-1)?.state, STATUS[wanted.ends], wanted.name);
    if (direction === 'out') return;
    const { body } = await system.api('POST /api/statement', { token: player.token, body: { page: 1, limit: 100 } });
    const line = body.statements.find((one: { reference: string }) => one.reference === reference);
    assert.deepEqual(
      [line?.status, line?.amount],
      [STATUS[wanted.ends], wanted.ends === 'DONE' ? -40.5 : 0],
      wanted.name,
    );
  }

  for (const direction of ['in', 'out'] as const) {
    describe(`money ${direction}`, { concurrency: AT_ONCE }, () => {
      for (const code of testedGames) {
        test(`${code}, ${direction}: every way it fails ends in the one right outcome [R-XFER-02] [R-XFER-04]`, async () => {
          const runs: Run[] = [];
          for (const [index, wanted] of faultCases.entries()) {
            runs.push(await begin(code, direction, wanted, players[index] ?? assert.fail('nobody')));
          }
          await settled(system, code);
          for (const run of runs) await assertRight(code, direction, run);
        });
      }
    });
  }

  test('closed for maintenance each of them says so, both ways, and nothing moves [R-XFER-02]', async () => {
    const [player = assert.fail('nobody')] = players;
    await fund(ledger, player.id, '100.00');
    player.wallet += 10_000n;
    for (const code of testedGames) {
      await maintain(system, code, true);
      const into = await transfer(system, player.token, { from: 'WALLET', to: code, amount: 10 });
      const home = await transfer(system, player.token, { from: code, to: 'WALLET', amount: 10 });
      await maintain(system, code, false);
      assertRefused(into, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
      assertRefused(home, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
    }
  });

  test('through all of them, one after the other, the same money comes home [R-XFER-02]', async () => {
    const member = await registerMember(system);
    const names: Record<GameCode, string> = {};
    for (const code of testedGames) names[code] = (await openGame(system, member.token, code)).username;
    await fund(ledger, member.id, '77.77');
    const stops = ['WALLET', ...testedGames, 'WALLET'];
    for (const [index, to] of stops.slice(1).entries()) {
      const from = stops[index] ?? '';
      const { status, body } = await transfer(system, member.token, { from, to, amount: 77.77 });
      assert.equal(status, 200, `${from} to ${to}: ${JSON.stringify(body)}`);
    }
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '77.77', held: '0.00' });
    await assertBooksAgree(system, ledger, member.id, names);
  });

  test('after all that every wallet has what it should, providers hold what the ledger says, and the books are right [R-XFER-04]', async () => {
    for (const player of players) {
      const wallet = await balanceOf(ledger, player.id, 'WALLET');
      assert.deepEqual(wallet, { free: toDecimal(player.wallet), held: '0.00' });
    }
    const { sums } = (await system.world('GET /control/totals')).body;
    for (const code of testedGames) {
      const inLedger = players.reduce((sum, { inGame }) => sum + (inGame.get(code) ?? 0n), 0n);
      assert.equal(sums.games[code].balance, toDecimal(minor(inLedger * multiplierOf(code))), code);
    }
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    assert.deepEqual(await ledger.openHolds(new Date(Date.now() + 60_000)), []);
  });
});
