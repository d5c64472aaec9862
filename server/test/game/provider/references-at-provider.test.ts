import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import { gameProviders } from '../../../src/adapters/game/index.ts';
import { credits, type Direction, type GameProvider, type Movement } from '../../../src/adapters/game/port.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { outsideWithProviderTimeout } from '../../harness/games.ts';
import { buildTestOutside } from '../../harness/outside-file.ts';
import { startSystem, type System } from '../../harness/system.ts';

const PROVIDER_NAMES = Object.keys(buildTestOutside('http://127.0.0.1', 'http://127.0.0.1').games);
/** Providers that execute a reference once and replay the reply. */
const SINGLE_USE_REFERENCES = new Set(['pg', 'joker2', 'huayhd', 'circus', 'naga', 'saming']);
/** Providers that refuse a used reference. */
const DOUBLE_REFUSING_PROVIDERS = new Set(['betflix', 'imi']);
const INQUIRY_PROVIDERS = new Set(['pg', 'joker2', 'huayhd', 'naga', 'saming']);
const PATIENCE_MS = 20_000;

describe('references at a provider', () => {
  let system: System;
  let players = 0;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(PATIENCE_MS) });
  });
  after(() => system?.stop());

  const openProvider = async (name: string): Promise<{ provider: GameProvider; username: string }> => {
    const provider = gameProviders(system.outside.games, undefined, systemClock).get(name);
    assert.ok(provider);
    const createOutcome = await provider.create({ username: `kpmali${(players += 1)}`, password: 'Secret12' });
    assert.ok(createOutcome.outcome === 'done');
    return { provider, username: createOutcome.value.username };
  };
  const readCash = async (name: string, username: string): Promise<string> =>
    (await system.simulatorsApi(`GET /games/${name}/players/${username}`)).body.balance;
  const movementOf = (username: string, reference: string, amount: bigint, direction: Direction = 'in'): Movement => ({
    username,
    reference,
    amount: credits(amount),
    direction,
  });

  for (const name of PROVIDER_NAMES.filter(
    (provider) => SINGLE_USE_REFERENCES.has(provider) || DOUBLE_REFUSING_PROVIDERS.has(provider),
  )) {
    test(`${name}: a repeated reference moves nothing twice and never counts as a proven refusal`, async () => {
      const { provider, username } = await openProvider(name);
      const first = movementOf(username, 'A-1', 10_000n);
      const moveOutcome = await provider.move(first);
      assert.ok(moveOutcome.outcome === 'done');
      assert.ok(moveOutcome.value.balance === null || moveOutcome.value.balance === 10_000n);
      await provider.move(movementOf(username, 'A-2', 500n));
      const repeatedOutcome = await provider.move(first);
      if (SINGLE_USE_REFERENCES.has(name)) assert.deepEqual(repeatedOutcome, moveOutcome, 'the first answer again');
      else assert.equal(repeatedOutcome.outcome, 'unknown');
      for (const otherMovement of [
        movementOf(username, 'A-1', 9_000n),
        movementOf(username, 'A-1', 10_000n, 'out'),
        { ...first, username: (await openProvider(name)).username },
      ])
        assert.equal(
          (await provider.move(otherMovement)).outcome,
          'unknown',
          'the outcome of the first is another question',
        );
      assert.equal(await readCash(name, username), '105.00');
    });
  }

  for (const name of PROVIDER_NAMES) {
    test(`${name}: an amount above the balance is refused as such, and the refused reference can be used again`, async () => {
      const { provider, username } = await openProvider(name);
      const outgoingMovement = movementOf(username, 'B-1', 2_000n, 'out');
      const refusedOutcome = await provider.move(outgoingMovement);
      assert.ok(refusedOutcome.outcome === 'refused' && refusedOutcome.reason === 'insufficient', name);
      assert.equal((await provider.move(movementOf(username, 'B-2', 2_001n))).outcome, 'done');
      const moveOutcome = await provider.move(outgoingMovement);
      assert.ok(moveOutcome.outcome === 'done');
      assert.equal(await readCash(name, username), '0.01');
    });

    test(`${name}: a taken name, a missing player and a name of 17 characters have their own outcomes`, async () => {
      const { provider, username } = await openProvider(name);
      const repeatedOutcome = await provider.create({ username, password: 'Other123' });
      // With a pool of accounts the name is only a reference.
      if (name === 'pgslot')
        assert.ok(repeatedOutcome.outcome === 'done' && repeatedOutcome.value.username !== username);
      else assert.ok(repeatedOutcome.outcome === 'refused' && repeatedOutcome.reason === 'exists', name);
      const unknownOutcomes = [
        await provider.balance('kpnobody'),
        await provider.move(movementOf('kpnobody', 'C-1', 100n)),
        await provider.setPassword({ username: 'kpnobody', password: 'Secret12' }),
      ];
      for (const outcome of unknownOutcomes)
        assert.ok(outcome.outcome === 'refused' && outcome.reason === 'no-player', name);
      const longNameOutcome = await provider.create({ username: 'kp345678901234567', password: 'Secret12' });
      assert.ok(longNameOutcome.outcome === 'refused' && longNameOutcome.reason === 'declined', name);
    });

    test(`${name}: a status inquiry is sent only to a provider that has one, and is about exactly that movement`, async () => {
      const { provider, username } = await openProvider(name);
      assert.equal(provider.check !== undefined, INQUIRY_PROVIDERS.has(name));
      if (!provider.check) return;
      const doneMovement = movementOf(username, 'D-1', 10_050n);
      const before = await provider.check(doneMovement);
      assert.ok(before.outcome === 'refused' && before.reason === 'no-transfer');
      assert.equal((await provider.move(doneMovement)).outcome, 'done');
      const checkOutcome = await provider.check(doneMovement);
      assert.ok(checkOutcome.outcome === 'done');
      assert.ok(checkOutcome.value.balance === null || checkOutcome.value.balance === 10_050n);
      for (const otherMovement of [movementOf(username, 'D-1', 10_051n), movementOf(username, 'D-1', 10_050n, 'out')])
        assert.equal((await provider.check(otherMovement)).outcome, 'unknown', 'another movement under our reference');
    });
  }
});
