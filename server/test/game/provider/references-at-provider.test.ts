import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../../src/platform/time.ts';
import { credits, type Direction, type GameProvider, type Movement } from '../../../src/adapters/game/port.ts';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import { providersWithin } from '../../harness/games.ts';
import { testOutside } from '../../harness/outside-file.ts';
import { startSystem, type System } from '../../harness/system.ts';

const PROVIDERS = Object.keys(testOutside('http://127.0.0.1', 'http://127.0.0.1').games);
/** Providers that execute a reference once and replay the reply. */
const ONCE = new Set(['pg', 'joker2', 'huayhd', 'circus', 'naga', 'saming']);
/** Providers that refuse a used reference. */
const REFUSES_TWICE = new Set(['betflix', 'imi']);
const ASKABLE = new Set(['pg', 'joker2', 'huayhd', 'naga', 'saming']);
const PATIENCE_MS = 20_000;

describe('our references at a provider', () => {
  let system: System;
  let players = 0;
  before(async () => {
    system = await startSystem({ outside: providersWithin(PATIENCE_MS) });
  });
  after(() => system?.stop());

  const open = async (name: string): Promise<{ provider: GameProvider; username: string }> => {
    const provider = gameProviders(system.outside.games, undefined, systemClock).get(name);
    assert.ok(provider);
    const opened = await provider.create({ username: `kpmali${(players += 1)}`, password: 'Secret12' });
    assert.ok(opened.outcome === 'done');
    return { provider, username: opened.value.username };
  };
  const cashOf = async (name: string, username: string): Promise<string> =>
    (await system.world(`GET /games/${name}/players/${username}`)).body.balance;
  const movement = (username: string, reference: string, amount: bigint, direction: Direction = 'in'): Movement => ({
    username,
    reference,
    amount: credits(amount),
    direction,
  });

  for (const name of PROVIDERS.filter((one) => ONCE.has(one) || REFUSES_TWICE.has(one))) {
    test(`${name}: a repeated reference moves nothing twice and is never taken for a proven no`, async () => {
      const { provider, username } = await open(name);
      const first = movement(username, 'A-1', 10_000n);
      const done = await provider.move(first);
      assert.ok(done.outcome === 'done');
      assert.ok(done.value.balance === null || done.value.balance === 10_000n);
      await provider.move(movement(username, 'A-2', 500n));
      const again = await provider.move(first);
      if (ONCE.has(name)) assert.deepEqual(again, done, 'the first answer again');
      else assert.equal(again.outcome, 'unknown');
      for (const other of [
        movement(username, 'A-1', 9_000n),
        movement(username, 'A-1', 10_000n, 'out'),
        { ...first, username: (await open(name)).username },
      ])
        assert.equal((await provider.move(other)).outcome, 'unknown', 'the outcome of the first is another question');
      assert.equal(await cashOf(name, username), '105.00');
    });
  }

  for (const name of PROVIDERS) {
    test(`${name}: more than is there is refused as such, and a refused reference is not used up`, async () => {
      const { provider, username } = await open(name);
      const out = movement(username, 'B-1', 2_000n, 'out');
      const refused = await provider.move(out);
      assert.ok(refused.outcome === 'refused' && refused.reason === 'insufficient', name);
      assert.equal((await provider.move(movement(username, 'B-2', 2_001n))).outcome, 'done');
      const done = await provider.move(out);
      assert.ok(done.outcome === 'done');
      assert.equal(await cashOf(name, username), '0.01');
    });

    test(`${name}: a name that is taken, a player who is not there and a name of 17 characters have outcomes of their own`, async () => {
      const { provider, username } = await open(name);
      const again = await provider.create({ username, password: 'Other123' });
      // With a pool of accounts the name is only a reference.
      if (name === 'pgslot') assert.ok(again.outcome === 'done' && again.value.username !== username);
      else assert.ok(again.outcome === 'refused' && again.reason === 'exists', name);
      const missing = [
        await provider.balance('kpnobody'),
        await provider.move(movement('kpnobody', 'C-1', 100n)),
        await provider.setPassword({ username: 'kpnobody', password: 'Secret12' }),
      ];
      for (const answer of missing) assert.ok(answer.outcome === 'refused' && answer.reason === 'no-player', name);
      const long = await provider.create({ username: 'kp345678901234567', password: 'Secret12' });
      assert.ok(long.outcome === 'refused' && long.reason === 'declined', name);
    });

    test(`${name}: a status inquiry is sent only where the provider has one, and is about exactly that movement`, async () => {
      const { provider, username } = await open(name);
      assert.equal(provider.check !== undefined, ASKABLE.has(name));
      if (!provider.check) return;
      const made = movement(username, 'D-1', 10_050n);
      const before = await provider.check(made);
      assert.ok(before.outcome === 'refused' && before.reason === 'no-transfer');
      assert.equal((await provider.move(made)).outcome, 'done');
      const found = await provider.check(made);
      assert.ok(found.outcome === 'done');
      assert.ok(found.value.balance === null || found.value.balance === 10_050n);
      for (const other of [movement(username, 'D-1', 10_051n), movement(username, 'D-1', 10_050n, 'out')])
        assert.equal((await provider.check(other)).outcome, 'unknown', 'another movement under our reference');
    });
  }
});
