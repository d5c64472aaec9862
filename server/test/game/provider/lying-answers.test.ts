import { strict as assert } from 'node:assert';
import { describe, test, type TestContext } from 'node:test';
import type { GameProvider } from '../../../src/adapters/game/port.ts';
import { type Json, type Kind, KINDS, MOVEMENT, reference, type Reply, username } from './good-answers.ts';
import { type ReceivedCall, listeningProvider } from './listening-provider.ts';

/** Variants with each field removed or changed, at every depth. */
function spoiled(data: Json): Json[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const { [name]: _gone, ...rest } = data;
    if (typeof value === 'object' && value !== null) {
      return [rest, ...spoiled(value as Json).map((inner) => ({ ...data, [name]: inner }))];
    }
    const others = typeof value === 'number' ? [value + 1, 'x', null] : ['100.01', '-100.00', '1e2', '', null, {}];
    return [rest, ...others.map((other) => ({ ...data, [name]: other }))];
  });
}

const LOGIN = { status: 'ok', data: { token: 'token-of-a-login', expiresIn: 3600 } };

async function saying(
  t: TestContext,
  { config }: Kind,
  answer: () => Reply,
): Promise<{ provider: GameProvider; received: ReceivedCall[] }> {
  const { stop, ...listening } = await listeningProvider(config, ({ path }) =>
    path.endsWith('/auth/login') ? { json: LOGIN } : answer(),
  );
  t.after(stop);
  return listening;
}

for (const [name, kind] of Object.entries(KINDS)) {
  describe(`${name}: what an answer proves`, () => {
    const { done, moved, balance, created, unsure, found, about = 'username', cash = 'balance' } = kind;

    test('a movement is done only by an answer about this very one', async (t) => {
      let json: Json = done(moved);
      const { provider } = await saying(t, kind, () => ({ json }));
      const good = await provider.move(MOVEMENT);
      const outcomes = name === 'slotracha' ? null : 10_000n;
      assert.deepEqual(good, { outcome: 'done', value: { balance: outcomes } });
      for (const other of spoiled(moved)) {
        json = done(other);
        // Circus reports only the new balance: any amount is valid.
        if (name === 'circus' && other['balance'] === '100.01') continue;
        assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', JSON.stringify(json));
      }
    });

    if (found) {
      test('the outcome of a reference is read only from an answer about this very movement', async (t) => {
        let json: Json = done(found);
        const { provider } = await saying(t, kind, () => ({ json }));
        assert.ok(provider.check);
        assert.equal((await provider.check(MOVEMENT)).outcome, 'done');
        for (const other of spoiled(found)) {
          json = done(other);
          assert.equal((await provider.check(MOVEMENT)).outcome, 'unknown', JSON.stringify(json));
        }
        for (const said of unsure) {
          const { provider: unsureOne } = await saying(t, kind, () => said);
          assert.equal((await unsureOne.check?.(MOVEMENT))?.outcome, 'unknown', JSON.stringify(said));
        }
      });
    }

    test('a balance is read only from an answer about this player, whole', async (t) => {
      let json: Json = done(balance);
      const { provider } = await saying(t, kind, () => ({ json }));
      const good = await provider.balance(username);
      assert.ok(good.outcome === 'done');
      assert.deepEqual([good.value.cash, good.value.outstanding], [10_000n, 500n]);
      for (const other of about === null ? [] : ['kpmali02', '', null, 7]) {
        json = done({ ...balance, [String(about)]: other });
        assert.equal((await provider.balance(username)).outcome, 'unknown', JSON.stringify(json));
      }
      for (const wrong of ['-1.00', '1.005', '1e2', null, [], 'NaN', '0x10']) {
        json = done({ ...balance, [cash]: wrong });
        assert.equal((await provider.balance(username)).outcome, 'unknown', JSON.stringify(json));
      }
    });

    test('a player is opened only with credentials that we can keep', async (t) => {
      let json: Json = done(created);
      const { provider } = await saying(t, kind, () => ({ json, status: kind.createdStatus ?? 200 }));
      assert.equal((await provider.create({ username, password: 'Secret12' })).outcome, 'done');
      for (const field of Object.keys(created)) {
        const another = kind.namesPlayers && field !== 'memberRef' ? [] : ['kpmali02'];
        for (const wrong of [...another, 'a'.repeat(17), 'with space', '', null, '<b>', 'ผู้เล่น', 7]) {
          json = done({ ...created, [field]: wrong });
          const answer = await provider.create({ username, password: 'Secret12' });
          assert.equal(answer.outcome, 'unknown', JSON.stringify(json));
        }
      }
    });

    test('internal errors, unknown codes, other shapes and other statuses prove nothing', async (t) => {
      let said: Reply = { json: null };
      const { provider } = await saying(t, kind, () => said);
      const shapes = [
        null,
        [],
        7,
        'done',
        {},
        { code: 'x' },
        { status: null },
        { error: null },
        { error: {} },
        { success: 'yes' },
      ];
      for (const one of [...unsure, ...shapes.map((json) => ({ json }))]) {
        said = one;
        assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', JSON.stringify(said));
      }
      for (const status of [201, 202, 301, 302, 500, 502, 503, 504].filter((one) => one !== kind.createdStatus)) {
        said = { status, json: done(moved) };
        assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', String(status));
      }
    });

    test('no note repeats what was sent or said', async (t) => {
      const { code: _code, ...rest } = kind.config;
      const secrets = [username, reference, 'Secret12', ...Object.values(rest).filter((value) => value !== name)];
      let said: Reply = { json: {} };
      const { provider } = await saying(t, kind, () => said);
      const talkative = { message: secrets.join(' '), Message: secrets.join(' ') };
      for (const json of [{ ...(unsure[0]?.json as Json), ...talkative }, { secrets }]) {
        said = { ...unsure[0], json };
        const outcomes = JSON.stringify([await provider.move(MOVEMENT), await provider.balance(username)]);
        for (const secret of secrets) assert.ok(!outcomes.includes(String(secret)), outcomes);
      }
    });
  });
}
