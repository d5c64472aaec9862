import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Inquiry } from '../../src/adapters/gateway/port.ts';
import { FUZZ_SEED, countFuzzTexts, hostileValue, sampleValues } from '../harness/hostile-text.ts';
import { buildTestOutside } from '../harness/outside-file.ts';
import { type AdapterCall, adapterCalls } from './adapter-calls.ts';
import {
  type HostileParty,
  isStorable,
  jsonLeafPaths,
  replaceJsonValue,
  startHostileParty,
} from './hostile-counterparty.ts';

const hostileParty: HostileParty = await startHostileParty();
const adapters: AdapterCall[] = adapterCalls(buildTestOutside('http://127.0.0.1:1', hostileParty.url));

after(() => hostileParty.close());

const setReply = (body: unknown, status: number | undefined) => {
  hostileParty.replyTo = (path) =>
    path.endsWith('/authenticate')
      ? { body: { success: true, data: { token: 'token', expiresIn: 86_400 } } }
      : { status: status ?? 200, body };
};

for (const { name, validReply, status, call } of adapters) {
  test(`${name}: every reply has an outcome, and each outcome can be stored`, async (t) => {
    const values = sampleValues(hostileValue, countFuzzTexts(300));
    const leafPaths = jsonLeafPaths(validReply);
    for (const [position, value] of values.entries()) {
      setReply(replaceJsonValue(validReply, leafPaths[position % leafPaths.length] ?? [], value), status);
      let outcome: unknown;
      try {
        outcome = await call();
      } catch (error) {
        // An unreadable statement makes the comparison fail with a readable error.
        assert.ok(name.startsWith('statement'), `${name}: ${String(error)}`);
      }
      assert.ok(isStorable(outcome), `${name}: ${String(JSON.stringify(value)).slice(0, 200)}`);
    }
    t.diagnostic(`${values.length} texts, seed ${FUZZ_SEED}`);
  });
}

for (const { name, validReply: good, ignoredFields, call } of adapters) {
  const leafPaths = jsonLeafPaths(good).filter((path) => ignoredFields?.includes(String(path.at(-1))));
  if (leafPaths.length === 0) continue;
  test(`${name}: a payment is recognised whatever its informational fields contain`, async () => {
    const values = sampleValues(hostileValue, countFuzzTexts(300));
    setReply(good, 200);
    const expected = ((await call()) as Extract<Inquiry, { status: 'PAID' }>).payment.transactionNumber;
    for (const [position, value] of values.entries()) {
      setReply(replaceJsonValue(good, leafPaths[position % leafPaths.length] ?? [], value), 200);
      const inquiry = (await call()) as Inquiry;
      assert.equal(
        inquiry.status,
        'PAID',
        `${name} ${leafPaths[position % leafPaths.length]?.join('.') ?? ''} ${'reason' in inquiry ? inquiry.reason : ''} ${String(JSON.stringify(value)).slice(0, 100)}`,
      );
      assert.equal(inquiry.status === 'PAID' && inquiry.payment.transactionNumber, expected);
    }
  });
}

test('a deeply nested reply, invalid JSON and invalid UTF-8 have outcomes too', async () => {
  const deeplyNestedJson = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const bodies = [
    '',
    '{',
    deeplyNestedJson,
    `{"lines":[${deeplyNestedJson}],"transactions":[${deeplyNestedJson}],"data":[${deeplyNestedJson}],"nextCursor":"","more":false}`,
  ];
  const rawReplies = [
    ...bodies.map((body) => Buffer.from(body)),
    Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    Buffer.from('\ufeff{}'),
  ];
  for (const { name, call } of adapters) {
    for (const rawBody of rawReplies) {
      setReply(rawBody, 200);
      const outcome = await call().catch((error: unknown) => assert.ok(name.startsWith('statement'), String(error)));
      assert.ok(isStorable(outcome), name);
    }
  }
});

test('two payments whose numbers differ only in unstorable characters become two items for an operator', async () => {
  for (const { name, validReply: good, ignoredFields: free, call } of adapters) {
    if (!free) continue;
    const [number = []] = jsonLeafPaths(good).filter(
      (path) =>
        ['txnNo', 'transactionId', 'tradeNo', 'uuid', 'refNo'].includes(String(path.at(-1))) &&
        !free.includes(String(path.at(-1))),
    );
    const seenOutcomes = new Set<string>();
    const rawTexts = [
      'N\0',
      'N\u0001',
      'N\ud800',
      'N\udc00',
      'N\ufffd',
      `${'N'.repeat(500)}\0`,
      `${'N'.repeat(500)}\u0001`,
    ];
    for (const value of rawTexts) {
      setReply(replaceJsonValue(good, number, value), 200);
      const inquiry = (await call()) as Inquiry;
      assert.equal(inquiry.status, 'ON_HOLD', name);
      if (inquiry.status === 'ON_HOLD') seenOutcomes.add(inquiry.evidence);
    }
    assert.equal(seenOutcomes.size, rawTexts.length, name);
  }
});
