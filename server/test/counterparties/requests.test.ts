import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import type { Endpoint } from '@krapao/contract/endpoint';
import { isErrorCode } from '@krapao/contract/errors';
import { fuzzSeed, hostileText, valuesOf } from '../harness/hostile-text.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';
import { startForGateways } from '../deposit/qrcode/gateways/at-gateway.ts';
import { GATEWAY_WORLDS } from '../deposit/qrcode/gateways/gateway-worlds.ts';

let system: System;
let member: TestMember;
before(async () => {
  system = await startForGateways();
  member = await registerMember(system, { currency: 'BAHT' });
});
after(() => system.stop());

type Sent = { headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> };

async function post(
  path: string,
  { headers = {}, body = new Uint8Array() }: Sent,
): Promise<{ status: number; text: string }> {
  const reply = await fetch(system.url + path, { method: 'POST', headers, body });
  return { status: reply.status, text: await reply.text() };
}

test(`FUZZ_SEED=${fuzzSeed}: unstorable text is refused at every endpoint, never a defect`, async () => {
  const texts = ['\0', '\ud800', '0812345678\0', 'AB\0', '\u202e', ...valuesOf(hostileText, 5)];
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    // It ends the session.
    if (endpoint.path.includes('logout')) continue;
    const fields = Object.keys(endpoint.body?.shape ?? {});
    for (const text of texts) {
      const params = Object.fromEntries(
        Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, text.toWellFormed()]),
      );
      const reply = await system.api(`${endpoint.method} ${endpoint.path}`, {
        token: member.token,
        params,
        ...(fields.length > 0 ? { body: Object.fromEntries(fields.map((name) => [name, text])) } : {}),
        ...(endpoint.idempotent ? { idempotencyKey: `key-${fuzzSeed}` } : {}),
      });
      const said = `${endpoint.method} ${endpoint.path} ${JSON.stringify(text)}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 100)}`;
      assert.ok(reply.status < 500, said);
      if (reply.status >= 400) assert.ok(isErrorCode(reply.body.message as string), said);
    }
  }
  assert.deepEqual(system.defects, []);
});

const bytes = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );
const BOM = [0xef, 0xbb, 0xbf];
/** สมชาย in TIS-620: no UTF-8. */
const THAI = [0xca, 0xc1, 0xaa, 0xd2, 0xc2];

const signature = (body: Uint8Array, asUpper = false): Record<string, string> => {
  const seconds = Math.floor(Date.now() / 1000);
  const hmac = createHmac('sha256', system.outside.bank.callbackSecret).update(`${seconds}.`).update(body);
  const hex = hmac.digest('hex');
  return {
    'content-type': 'application/json',
    'x-bank-signature': `t=${seconds},v1=${asUpper ? hex.toUpperCase() : hex}`,
  };
};

test('a callback of the bank is taken with a byte order mark, in another encoding, and with a signature in capitals', async () => {
  const account = '"account":{"bankCode":"SCB","accountNo":"4680001234"}';
  for (const body of [
    bytes(BOM, `{"event":"line",${account}}`),
    bytes('{"name":"', THAI, `",${account}}`),
    bytes(`{"name":"\\u0000\\ud800",${account}}`),
  ]) {
    for (const asUpper of [false, true]) {
      const reply = await post('/api/callback/bank-feed', { headers: signature(body, asUpper), body });
      assert.equal(reply.status, 200, reply.text);
    }
  }
});

test('a signed payout callback with an impossible reference is refused as malformed', async () => {
  for (const reference of ['\0', 'W1\0', '\ud800', 'W 1', 'W'.repeat(50), '']) {
    const body = bytes(JSON.stringify({ event: 'payout', reference }));
    const reply = await post('/api/callback/bank-payout', { headers: signature(body), body });
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.text, /MALFORMED/);
  }
  assert.deepEqual(system.defects, []);
});

for (const world of GATEWAY_WORLDS) {
  test(`${world.code}: its callback is taken with a byte order mark, in another encoding, and with a signature in capitals`, async () => {
    const good = world.callback(system.outside, 'NOBODYKNOWSTHISONE');
    const isForm = good.headers['content-type']?.includes('form') === true;
    const bodies = isForm
      ? [bytes(BOM, `first=1&${good.body}`), bytes(good.body, '&payerName=', THAI), bytes(good.body, '&payerName=%00')]
      : [
          bytes(BOM, good.body),
          bytes('{"payerName":"', THAI, `",${good.body.slice(1)}`),
          bytes(`{"payerName":"\\u0000\\ud800",${good.body.slice(1)}`),
        ];
    for (const body of bodies) {
      const headers = { ...good.headers };
      if (world.code === 'WW') {
        const seconds = headers['ww-signature-timestamp'] ?? '';
        const hmac = createHmac('sha256', Buffer.from(system.outside.ww?.signingSecret ?? '', 'base64'));
        headers['ww-signature'] = hmac.update(`${seconds}.`).update(body).digest('hex').toUpperCase();
      }
      const reply = await post(good.path, { headers, body });
      assert.deepEqual([reply.status, reply.text], [200, world.taken]);
    }
  });
}
