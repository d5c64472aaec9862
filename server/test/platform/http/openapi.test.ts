import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { registerMember } from '../../harness/members.ts';
import { openSlipDeposits } from '../../harness/operator.ts';
import { startSystem } from '../../harness/system.ts';

test('the OpenAPI document lists the replies to paths that are refused before routing', async () => {
  const system = await startSystem();
  try {
    const { token } = await registerMember(system);
    const { paths } = (await system.api('GET /openapi.json')).body;
    for (const { method, path } of Object.values(endpoints)) {
      if (!path.includes('{')) continue;
      for (const pathSegment of ['%ff', 'x'.repeat(300)]) {
        const { status, body } = await system.api(`${method} ${path.replaceAll(/\{\w+\}/g, pathSegment)}`, { token });
        const declaredCodes = paths[path][method.toLowerCase()].responses[status]?.description ?? '';
        assert.ok(
          declaredCodes.split(', ').includes(body.message),
          `${method} ${path} ${status} ${body.message}: ${declaredCodes}`,
        );
      }
    }
  } finally {
    await system.stop();
  }
});

test('the OpenAPI document lists status and code of every refused body', async () => {
  const system = await startSystem();
  try {
    const { token } = await registerMember(system);
    await openSlipDeposits(system);
    const { paths } = (await system.api('GET /openapi.json')).body;
    for (const endpoint of Object.values(endpoints)) {
      if (endpoint.method === 'GET') continue;
      const readsBody = 'body' in endpoint || 'upload' in endpoint;
      const callName = `${endpoint.method} ${endpoint.path}`;
      const { responses } = paths[endpoint.path][endpoint.method.toLowerCase()];
      const expectedCodes = [
        { body: '{' },
        ...(readsBody ? [{ body: '[]' }] : []),
        { body: `{"x":"${'x'.repeat(70_000)}"}` },
        { body: 'a=b', headers: { 'content-type': 'text/plain' } },
        { body: 'a=b', headers: { 'content-type': 'x' } },
      ];
      for (const options of expectedCodes) {
        const { status, body } = await system.api(callName, { token, params: { bankCode: 'KBANK' }, ...options });
        assert.ok(status >= 400 && status < 500, `${callName} ${status}`);
        const declaredCodes = (responses[status]?.description ?? '').split(', ');
        assert.ok(
          declaredCodes.includes(body.message),
          `${callName} ${status} ${body.message}, declared: ${declaredCodes}`,
        );
      }
      assert.match(responses[503].description, /REQUEST_LIMIT/, callName);
    }
  } finally {
    await system.stop();
  }
});
