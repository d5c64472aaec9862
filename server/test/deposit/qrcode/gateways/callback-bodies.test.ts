import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isErrorCode } from '@krapao/contract/errors';
import type { System } from '../../../harness/system.ts';
import { startForGateways } from './at-gateway.ts';
import { GATEWAY_FIXTURES } from './gateway-fixtures.ts';

const STACK_TRACE = /\bat .*\(?(?:\/|file:|node:)|node_modules|\.ts:\d+/;
const CONTENT_TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'multipart/form-data; boundary=x',
];

let system: System;
before(async () => {
  system = await startForGateways();
});
after(() => system.stop());

for (const fixture of GATEWAY_FIXTURES) {
  test(`${fixture.code}: any callback body, even with the key, is accepted or refused without an internal error [R-NET-05]`, async () => {
    const validCallback = fixture.buildCallback(system.outside, 'NOBODYKNOWSTHISONE');
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '7',
      '{"a":1}',
      '\0',
      '%%%=1&orderNo=%E0%A4%A',
      '{"__proto__":{"a":1}}',
      '{"data":null,"payment":null}',
      '{"data":{"referenceId":5},"payment":{"merchantReference":[]}}',
      'x'.repeat(200_000),
      validCallback.body.replaceAll('"', "'"),
      validCallback.body.replaceAll(/\d+/g, '{}'),
      validCallback.body,
    ];
    for (const type of CONTENT_TYPES)
      for (const body of bodies) {
        const headers = { ...validCallback.headers, 'content-type': type };
        const reply = await fetch(system.url + validCallback.path, { method: 'POST', headers, body });
        const text = await reply.text();
        const replySummary = `${type} ${body.slice(0, 30)}: ${reply.status} ${text.slice(0, 100)}`;
        assert.ok(reply.status < 500, replySummary);
        assert.doesNotMatch(text, STACK_TRACE, replySummary);
        if (reply.status >= 400)
          assert.ok(isErrorCode((JSON.parse(text) as { message: string }).message), replySummary);
      }
  });
}

test('after all callback bodies there is no internal error, and no money has moved [R-NET-05]', async () => {
  assert.deepEqual(system.defects, []);
  const { rows } = await system.database.query('select from ledger.operation');
  assert.equal(rows.length, 0);
});
