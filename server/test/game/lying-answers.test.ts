import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import { credits, type GameProvider, type Movement } from '../../src/providers/game/port.ts';
import { type Heard, listeningProvider } from './listening-provider.ts';

const username = 'kpmali01';
const reference = 'T0000000000000001';
const MOVEMENT: Movement = { username, direction: 'in', amount: credits(10_000n), reference };
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

type Json = Record<string, unknown>;
type Kind = {
  config: { kind: string } & Json;
  /** A good answer to a movement, to a question for the balance, to the opening of a player. */
  moved: Json;
  balance: Json;
  created: Json;
  /** Puts what an answer is about into the envelope. */
  done: (data: Json) => Json;
  /** Codes that prove nothing, in their envelope. */
  unsure: Json[];
};

const named = { username, balance: '100.00', outstanding: '5.00', turnover: '0.00' };
const beforeAfter = { username, amount: '100.00', before: '0.00', after: '100.00' };

const KINDS: Record<string, Kind> = {
  imi: {
    config: { kind: 'imi', user: 'brand', password: 'secret' },
    moved: { username, transactionRef: reference, amount: '100.00', beforeBalance: '0.00', afterBalance: '100.00' },
    balance: { ...named, lastBetId: 7 },
    created: { username },
    done: (data) => ({ code: 0, message: 'SUCCESS', data }),
    unsure: [
      { code: 1005, message: '', data: null },
      { code: 9999, message: '', data: null },
    ],
  },
  usun: {
    config: { kind: 'usun', clientId: 'client', clientSecret: 'secret' },
    moved: beforeAfter,
    balance: named,
    created: { username },
    done: (data) => ({ status: 'ok', data }),
    unsure: [{ status: 'error', code: 'INTERNAL' }],
  },
  circus: {
    config: {
      kind: 'circus',
      operatorId: 'operator',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    moved: { user: username, transaction_uuid: reference, amount: '100.00', balance: '100.00' },
    balance: { ...named, user: username },
    created: { user: username },
    done: (data) => ({ status: 'RS_OK', ...data }),
    unsure: [{ status: 'RS_ERROR_UNKNOWN' }, { status: 'RS_ERROR_DUPLICATE_TRANSACTION' }],
  },
  slotracha: {
    config: { kind: 'slotracha', token: 'token' },
    moved: { username, amount: '100.00', type: 2 },
    balance: { username, credit: '100.00', outstanding: '5.00' },
    created: { username },
    done: (data) => ({ success: true, data }),
    unsure: [{ success: false, error: 'internal' }],
  },
  pgslot: {
    config: { kind: 'pgslot', agent: 'agent', secret: 'secret' },
    moved: { username, amount: '100.00', balance: { before: '0.00', after: '100.00' } },
    balance: named,
    created: { memberRef: username, username: 'pgslot00000001', password: 'Secret12' },
    done: (data) => ({ status: { code: 1000, message: 'Success' }, data }),
    unsure: [{ status: { code: 9999, message: '' }, data: null }],
  },
  royal: {
    config: { kind: 'royal', agent: 'agent', key: 'key' },
    moved: beforeAfter,
    balance: named,
    created: { username },
    done: (data) => ({ error: 0, ...data }),
    unsure: [{ error: 99 }],
  },
};

/** Each field gone, and with other values; at every depth. */
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
  answer: () => { status?: number; json: unknown },
): Promise<{ provider: GameProvider; heard: Heard[] }> {
  const { stop, ...listening } = await listeningProvider(config, ({ path }) =>
    path.endsWith('/auth/login') ? { json: LOGIN } : answer(),
  );
  t.after(stop);
  return listening;
}

for (const [name, kind] of Object.entries(KINDS)) {
  describe(`${name}: what an answer proves`, () => {
    const { done, moved, balance, created, unsure } = kind;

    test('a movement is done only by an answer about this very one', async (t) => {
      let json: Json = done(moved);
      const { provider } = await saying(t, kind, () => ({ json }));
      const good = await provider.move(MOVEMENT);
      const told = name === 'slotracha' ? null : 10_000n;
      assert.deepEqual(good, { outcome: 'done', value: { balance: told } });
      for (const other of spoiled(moved)) {
        json = done(other);
        // What is there afterwards is the provider's word at circus: it may be anything that is an amount.
        if (name === 'circus' && other['balance'] === '100.01') continue;
        assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', JSON.stringify(json));
      }
    });

    test('a balance is read only from an answer about this player, whole', async (t) => {
      let json: Json = done(balance);
      const { provider } = await saying(t, kind, () => ({ json }));
      const good = await provider.balance(username);
      assert.ok(good.outcome === 'done');
      assert.deepEqual([good.value.cash, good.value.outstanding], [10_000n, 500n]);
      const about = name === 'circus' ? 'user' : 'username';
      for (const other of ['kpmali02', '', null, 7]) {
        json = done({ ...balance, [about]: other });
        assert.equal((await provider.balance(username)).outcome, 'unknown', JSON.stringify(json));
      }
      for (const wrong of ['-1.00', '1.005', '1e2', null, [], 'NaN', '0x10']) {
        json = done({ ...balance, [name === 'slotracha' ? 'credit' : 'balance']: wrong, outstanding: wrong });
        assert.equal((await provider.balance(username)).outcome, 'unknown', JSON.stringify(json));
      }
    });

    test('a player is opened only with credentials that we can keep', async (t) => {
      let json: Json = done(created);
      const { provider } = await saying(t, kind, () => ({ json }));
      assert.equal((await provider.create({ username, password: 'Secret12' })).outcome, 'done');
      for (const field of Object.keys(created)) {
        for (const wrong of ['a'.repeat(17), 'with space', '', null, '<b>', 'ผู้เล่น', 7]) {
          json = done({ ...created, [field]: wrong });
          const answer = await provider.create({ username, password: 'Secret12' });
          assert.equal(answer.outcome, 'unknown', JSON.stringify(json));
        }
      }
    });

    test('internal errors, other shapes and other statuses prove nothing', async (t) => {
      let said: { status?: number; json: unknown } = { json: null };
      const { provider } = await saying(t, kind, () => said);
      const shapes = [null, [], 7, 'done', {}, { code: 'x' }, { status: null }, { error: null }, { success: 'yes' }];
      for (const json of [...unsure, ...shapes]) {
        said = { json };
        assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', JSON.stringify(json));
      }
      for (const status of [201, 202, 301, 302, 500, 502, 503, 504]) {
        said = { status, json: done(moved) };
        assert.equal((await provider.move(MOVEMENT)).outcome, 'unknown', String(status));
      }
    });

    test('no note repeats what was sent or said', async (t) => {
      const { code: _code, ...rest } = kind.config;
      const secrets = [username, reference, 'Secret12', ...Object.values(rest).filter((value) => value !== name)];
      let json: Json = {};
      const { provider } = await saying(t, kind, () => ({ json }));
      for (const answer of [...unsure, { ...unsure[0], message: secrets.join(' ') }, { secrets }]) {
        json = answer;
        const told = JSON.stringify([await provider.move(MOVEMENT), await provider.balance(username)]);
        for (const secret of secrets) assert.ok(!told.includes(String(secret)), told);
      }
    });
  });
}
