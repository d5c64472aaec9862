import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system?.stop());

const read = ({ token }: { token: string }) => system.api('GET /api/account/settings', { token });
const change = ({ token }: { token: string }, body: unknown) =>
  system.api('PUT /api/account/settings', { token, body: body as { bringsMoneyHome: boolean } });

test("automatic return of money to the wallet is off by default, and each member's choice applies to that member alone [R-WALLET-03]", async () => {
  const [member, other] = [await registerMember(system), await registerMember(system)];
  assert.deepEqual((await read(member)).body, { bringsMoneyHome: false });
  const replies = await Promise.all([1, 2, 3].map(() => change(member, { bringsMoneyHome: true })));
  for (const { status, body } of replies) assert.deepEqual([status, body], [200, { bringsMoneyHome: true }]);
  assert.deepEqual((await read(member)).body, { bringsMoneyHome: true });
  assert.deepEqual((await read(other)).body, { bringsMoneyHome: false });
  await change(member, { bringsMoneyHome: false });
  assert.deepEqual((await read(member)).body, { bringsMoneyHome: false });
});

test('a malformed setting is refused and changes nothing, and without a session settings are not readable [R-WALLET-03]', async () => {
  const member = await registerMember(system);
  for (const body of [{}, { bringsMoneyHome: 'true' }, { bringsMoneyHome: null }, { bringsMoneyHome: 1 }, [], 'on']) {
    const { status, body: reply } = await change(member, body);
    assert.ok(status >= 400 && status < 500, JSON.stringify(body));
    assert.equal(reply.message, 'INVALID_USER_INFO', JSON.stringify(body));
  }
  assert.deepEqual((await read(member)).body, { bringsMoneyHome: false });
  assert.equal((await read({ token: 'x' })).status, 401);
});
