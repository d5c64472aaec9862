import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { registerMember } from '../../harness/members.ts';
import { takeSlipsNow } from '../../harness/operator.ts';
import { startSystem } from '../../harness/system.ts';

test('the OpenAPI document names status and code of every path that is refused before the call is known', async () => {
  const system = await startSystem();
  try {
    const { token } = await registerMember(system);
    const { paths } = (await system.api('GET /openapi.json')).body;
    for (const { method, path } of Object.values(endpoints)) {
      if (!path.includes('{')) continue;
      for (const part of ['%ff', 'x'.repeat(300)]) {
        const { status, body } = await system.api(`${method} ${path.replaceAll(/\{\w+\}/g, part)}`, { token });
        const declared = paths[path][method.toLowerCase()].responses[status]?.description ?? '';
        assert.ok(
          declared.split(', ').includes(body.message),
          `${method} ${path} ${status} ${body.message}: ${declared}`,
        );
      }
    }
  } finally {
    await system.stop();
  }
});

test('the OpenAPI document names status and code of every body that is refused', async () => {
  const system = await startSystem();
  try {
    const { token } = await registerMember(system);
    await takeSlipsNow(system);
    const { paths } = (await system.api('GET /openapi.json')).body;
    for (const endpoint of Object.values(endpoints)) {
      if (endpoint.method === 'GET') continue;
      const reads = 'body' in endpoint || 'upload' in endpoint;
      const call = `${endpoint.method} ${endpoint.path}`;
      const { responses } = paths[endpoint.path][endpoint.method.toLowerCase()];
      const wrong = [
        { body: '{' },
        ...(reads ? [{ body: '[]' }] : []),
        { body: `{"x":"${'x'.repeat(70_000)}"}` },
        { body: 'a=b', headers: { 'content-type': 'text/plain' } },
        { body: 'a=b', headers: { 'content-type': 'x' } },
      ];
      for (const options of wrong) {
        const { status, body } = await system.api(call, { token, params: { bankCode: 'KBANK' }, ...options });
        assert.ok(status >= 400 && status < 500, `${call} ${status}`);
        const declared = (responses[status]?.description ?? '').split(', ');
        assert.ok(declared.includes(body.message), `${call} ${status} ${body.message}, declared: ${declared}`);
      }
      assert.match(responses[503].description, /REQUEST_LIMIT/, call);
    }
  } finally {
    await system.stop();
  }
});
