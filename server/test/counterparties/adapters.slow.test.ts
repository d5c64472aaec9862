import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Inquiry } from '../../src/adapters/gateway/port.ts';
import { fuzzSeed, fuzzTexts, hostileValue, valuesOf } from '../harness/hostile-text.ts';
import { testOutside } from '../harness/outside-file.ts';
import { type HostileParty, isStorable, leavesOf, replaceAt, startHostileParty } from './hostile-party.ts';
import { type Adapter, adaptersOf } from './adapter-calls.ts';

const party: HostileParty = await startHostileParty();
const adapters: Adapter[] = adaptersOf(testOutside('http://127.0.0.1:1', party.url));

after(() => party.close());

const answer = (body: unknown, status: number | undefined) => {
  party.answer = (path) =>
    path.endsWith('/authenticate')
      ? { body: { success: true, data: { token: 'token', expiresIn: 86_400 } } }
      : { status: status ?? 200, body };
};

for (const { name, good, status, call } of adapters) {
  test(`${name}: every answer is an outcome, and all of it can be stored`, async (t) => {
    const values = valuesOf(hostileValue, fuzzTexts(300));
    const leaves = leavesOf(good);
    for (const [at, value] of values.entries()) {
      answer(replaceAt(good, leaves[at % leaves.length] ?? [], value), status);
      let outcome: unknown;
      try {
        outcome = await call();
      } catch (error) {
        // A statement that can't be read makes the comparison fail with a readable error.
        assert.ok(name.startsWith('statement'), `${name}: ${String(error)}`);
      }
      assert.ok(isStorable(outcome), `${name}: ${String(JSON.stringify(value)).slice(0, 200)}`);
    }
    t.diagnostic(`${values.length} texts, seed ${fuzzSeed}`);
  });
}

for (const { name, good, free, call } of adapters) {
  const leaves = leavesOf(good).filter((path) => free?.includes(String(path.at(-1))));
  if (leaves.length === 0) continue;
  test(`${name}: a payment is recognised whatever its informational fields contain`, async () => {
    const values = valuesOf(hostileValue, fuzzTexts(300));
    answer(good, 200);
    const expected = ((await call()) as Extract<Inquiry, { status: 'PAID' }>).payment.transactionNumber;
    for (const [at, value] of values.entries()) {
      answer(replaceAt(good, leaves[at % leaves.length] ?? [], value), 200);
      const inquiry = (await call()) as Inquiry;
      assert.equal(
        inquiry.status,
        'PAID',
        `${name} ${leaves[at % leaves.length]?.join('.') ?? ''} ${'reason' in inquiry ? inquiry.reason : ''} ${String(JSON.stringify(value)).slice(0, 100)}`,
      );
      assert.equal(inquiry.status === 'PAID' && inquiry.payment.transactionNumber, expected);
    }
  });
}

test('a deeply nested reply, invalid JSON and invalid UTF-8 are outcomes too', async () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const bodies = [
    '',
    '{',
    deep,
    `{"lines":[${deep}],"transactions":[${deep}],"data":[${deep}],"nextCursor":"","more":false}`,
  ];
  const raws = [
    ...bodies.map((body) => Buffer.from(body)),
    Buffer.from([0xff, 0xfe, 0x00, 0x80]),
    Buffer.from('\ufeff{}'),
  ];
  for (const { name, call } of adapters) {
    for (const raw of raws) {
      answer(raw, 200);
      const outcome = await call().catch((error: unknown) => assert.ok(name.startsWith('statement'), String(error)));
      assert.ok(isStorable(outcome), name);
    }
  }
});

test('two payments whose numbers differ only in unstorable characters are two cases for an operator', async () => {
  for (const { name, good, free, call } of adapters) {
    if (!free) continue;
    const [number = []] = leavesOf(good).filter(
      (path) =>
        ['txnNo', 'transactionId', 'tradeNo', 'uuid', 'refNo'].includes(String(path.at(-1))) &&
        !free.includes(String(path.at(-1))),
    );
    const seen = new Set<string>();
    const raw = ['N\0', 'N\u0001', 'N\ud800', 'N\udc00', 'N\ufffd', `${'N'.repeat(500)}\0`, `${'N'.repeat(500)}\u0001`];
    for (const value of raw) {
      answer(replaceAt(good, number, value), 200);
      const inquiry = (await call()) as Inquiry;
      assert.equal(inquiry.status, 'ON_HOLD', name);
      if (inquiry.status === 'ON_HOLD') seen.add(inquiry.evidence);
    }
    assert.equal(seen.size, raw.length, name);
  }
});
