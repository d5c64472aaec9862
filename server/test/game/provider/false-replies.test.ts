import { strict as assert } from 'node:assert';
import { describe, test, type TestContext } from 'node:test';
import type { GameProvider } from '../../../src/adapters/game/port.ts';
import { type ReceivedCall, startListeningProvider } from './listening-provider.ts';
import {
  type JsonObject,
  type AdapterKindReplies,
  ADAPTER_KIND_REPLIES,
  SAMPLE_MOVEMENT,
  SAMPLE_REFERENCE,
  type Reply,
  SAMPLE_USERNAME,
} from './valid-replies.ts';

/** Variants with each field removed or changed, at every depth. */
function falseVariants(data: JsonObject): JsonObject[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const { [name]: _gone, ...rest } = data;
    if (typeof value === 'object' && value !== null) {
      return [rest, ...falseVariants(value as JsonObject).map((variant) => ({ ...data, [name]: variant }))];
    }
    const otherValues = typeof value === 'number' ? [value + 1, 'x', null] : ['100.01', '-100.00', '1e2', '', null, {}];
    return [rest, ...otherValues.map((otherValue) => ({ ...data, [name]: otherValue }))];
  });
}

const LOGIN_REPLY = { status: 'ok', data: { token: 'token-of-a-login', expiresIn: 3600 } };

async function providerReplying(
  t: TestContext,
  { config }: AdapterKindReplies,
  currentReply: () => Reply,
): Promise<{ provider: GameProvider; receivedCalls: ReceivedCall[] }> {
  const { stop, ...listening } = await startListeningProvider(config, ({ path }) =>
    path.endsWith('/auth/login') ? { json: LOGIN_REPLY } : currentReply(),
  );
  t.after(stop);
  return listening;
}

for (const [name, replies] of Object.entries(ADAPTER_KIND_REPLIES)) {
  describe(`${name}: proof by replies`, () => {
    const {
      toReply,
      movedReply,
      balance,
      created,
      inconclusiveReplies,
      foundReply,
      nameField = 'username',
      cashField = 'balance',
    } = replies;

    test('a movement counts as done only by a reply about this very movement', async (t) => {
      let json: JsonObject = toReply(movedReply);
      const { provider } = await providerReplying(t, replies, () => ({ json }));
      const validMovement = await provider.move(SAMPLE_MOVEMENT);
      const outcomes = name === 'slotracha' ? null : 10_000n;
      assert.deepEqual(validMovement, { outcome: 'done', value: { balance: outcomes } });
      for (const falseReply of falseVariants(movedReply)) {
        json = toReply(falseReply);
        // Circus reports only the new balance: any amount is valid.
        if (name === 'circus' && falseReply['balance'] === '100.01') continue;
        assert.equal((await provider.move(SAMPLE_MOVEMENT)).outcome, 'unknown', JSON.stringify(json));
      }
    });

    if (foundReply) {
      test('the outcome of a reference is read only from a reply about this very movement', async (t) => {
        let json: JsonObject = toReply(foundReply);
        const { provider } = await providerReplying(t, replies, () => ({ json }));
        assert.ok(provider.check);
        assert.equal((await provider.check(SAMPLE_MOVEMENT)).outcome, 'done');
        for (const falseReply of falseVariants(foundReply)) {
          json = toReply(falseReply);
          assert.equal((await provider.check(SAMPLE_MOVEMENT)).outcome, 'unknown', JSON.stringify(json));
        }
        for (const unsure of inconclusiveReplies) {
          const { provider: unsureProvider } = await providerReplying(t, replies, () => unsure);
          assert.equal((await unsureProvider.check?.(SAMPLE_MOVEMENT))?.outcome, 'unknown', JSON.stringify(unsure));
        }
      });
    }

    test('a balance is read only from a complete reply about this player', async (t) => {
      let json: JsonObject = toReply(balance);
      const { provider } = await providerReplying(t, replies, () => ({ json }));
      const validBalance = await provider.balance(SAMPLE_USERNAME);
      assert.ok(validBalance.outcome === 'done');
      assert.deepEqual([validBalance.value.cash, validBalance.value.outstanding], [10_000n, 500n]);
      for (const otherUsername of nameField === null ? [] : ['kpmali02', '', null, 7]) {
        json = toReply({ ...balance, [String(nameField)]: otherUsername });
        assert.equal((await provider.balance(SAMPLE_USERNAME)).outcome, 'unknown', JSON.stringify(json));
      }
      for (const invalidAmount of ['-1.00', '1.005', '1e2', null, [], 'NaN', '0x10']) {
        json = toReply({ ...balance, [cashField]: invalidAmount });
        assert.equal((await provider.balance(SAMPLE_USERNAME)).outcome, 'unknown', JSON.stringify(json));
      }
    });

    test('a player counts as opened only with credentials that can be stored', async (t) => {
      let json: JsonObject = toReply(created);
      const { provider } = await providerReplying(t, replies, () => ({
        json,
        status: replies.createdStatus ?? 200,
      }));
      assert.equal((await provider.create({ username: SAMPLE_USERNAME, password: 'Secret12' })).outcome, 'done');
      for (const field of Object.keys(created)) {
        const otherUsernames = replies.returnsOtherName && field !== 'memberRef' ? [] : ['kpmali02'];
        for (const invalidUsername of [...otherUsernames, 'a'.repeat(17), 'with space', '', null, '<b>', 'ผู้เล่น', 7]) {
          json = toReply({ ...created, [field]: invalidUsername });
          const createOutcome = await provider.create({ username: SAMPLE_USERNAME, password: 'Secret12' });
          assert.equal(createOutcome.outcome, 'unknown', JSON.stringify(json));
        }
      }
    });

    test('internal errors, unknown codes, other shapes and other statuses prove nothing', async (t) => {
      let nextReply: Reply = { json: null };
      const { provider } = await providerReplying(t, replies, () => nextReply);
      const jsonShapes = [
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
      for (const falseReply of [...inconclusiveReplies, ...jsonShapes.map((json) => ({ json }))]) {
        nextReply = falseReply;
        assert.equal((await provider.move(SAMPLE_MOVEMENT)).outcome, 'unknown', JSON.stringify(nextReply));
      }
      for (const status of [201, 202, 301, 302, 500, 502, 503, 504].filter(
        (otherStatus) => otherStatus !== replies.createdStatus,
      )) {
        nextReply = { status, json: toReply(movedReply) };
        assert.equal((await provider.move(SAMPLE_MOVEMENT)).outcome, 'unknown', String(status));
      }
    });

    test('no stored note repeats what was sent or received', async (t) => {
      const { code: _code, ...rest } = replies.config;
      const secrets = [
        SAMPLE_USERNAME,
        SAMPLE_REFERENCE,
        'Secret12',
        ...Object.values(rest).filter((value) => value !== name),
      ];
      let nextReply: Reply = { json: {} };
      const { provider } = await providerReplying(t, replies, () => nextReply);
      const secretReply = { message: secrets.join(' '), Message: secrets.join(' ') };
      for (const json of [{ ...(inconclusiveReplies[0]?.json as JsonObject), ...secretReply }, { secrets }]) {
        nextReply = { ...inconclusiveReplies[0], json };
        const outcomes = JSON.stringify([
          await provider.move(SAMPLE_MOVEMENT),
          await provider.balance(SAMPLE_USERNAME),
        ]);
        for (const secret of secrets) assert.ok(!outcomes.includes(String(secret)), outcomes);
      }
    });
  });
}
