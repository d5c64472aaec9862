import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { isErrorCode } from '@krapao/contract/errors';
import { startSystem, type System } from '../../harness/system.ts';

describe('the front door', () => {
  let system: System;

  before(async () => {
    system = await startSystem({ simulators: false });
  });
  after(() => system.stop());

  test('unknown paths are 404 with a code', async () => {
    for (const path of ['/api/nothing', '/api', '/api/wallet/../nothing', '/api/lookup/%00', '/no/such.file']) {
      const { status, body } = await system.api(`GET ${path}`);
      assert.equal(status, 404, path);
      assert.equal(body.message, 'NO_DATA', path);
    }
  });

  test('says that it is alive and ready', async () => {
    assert.deepEqual((await system.api('GET /health/live')).body, { status: 'live' });
    assert.deepEqual((await system.api('GET /health/ready')).body, { status: 'ready' });
  });

  test('the OpenAPI document names every call with its failures', async () => {
    const { body } = await system.api('GET /openapi.json');
    assert.equal(body.openapi, '3.1.0');
    for (const name of Object.keys(endpoints)) {
      const [method = '', path = ''] = name.split(' ');
      const operation = body.paths[path]?.[method.toLowerCase()];
      assert.ok(operation, name);
      assert.ok(operation.responses['500'], name);
    }
    assert.ok(body.components.schemas.Failure.properties.message.enum.every(isErrorCode));
  });

  test('metrics are for this machine alone', async () => {
    const { status, body } = await system.api('GET /metrics');
    assert.equal(status, 200);
    assert.match(body, /http_request_seconds_bucket/);
    const forwarded = await system.api('GET /metrics', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    assert.equal(forwarded.status, 404);
  });
});
