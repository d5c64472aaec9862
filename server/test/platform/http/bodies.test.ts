import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commonErrors, type Endpoint, memberErrors } from '@krapao/contract/endpoint';
import { endpoints } from '@krapao/contract/endpoints';
import { isErrorCode } from '@krapao/contract/errors';
import type { ApiReply } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { takeSlipsNow } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';

type WithBody = Endpoint & { body: NonNullable<Endpoint['body']> };
const withBody = Object.entries<Endpoint>(endpoints).filter(
  (entry): entry is [string, WithBody] => entry[1].body !== undefined,
);

const STACK = /\bat .*\(?(?:\/|file:|node:)|node_modules|\.ts:\d+/;
const OVER_LONG = 'x'.repeat(5_000);
/** Values that no field of a body takes all of. */
const VALUES: readonly unknown[] = [null, true, -1.5, 1e308, '', 'x', 'a\0b', OVER_LONG, [], {}, [[]], { a: { b: 1 } }];
/** Values of path parameters in place of a code, a name or an id. */
const PLACES = ['x', '0', "' or 1=1 --", '../../etc/passwd', 'a\0b', 'ก', '%', '\u202e', 'x'.repeat(1_000), OVER_LONG];

let system: System;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system);
  await takeSlipsNow(system);
});
after(() => system.stop());

const send = (name: string, endpoint: Endpoint, body: unknown): Promise<ApiReply> => {
  const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((key) => [key, 'KBANK']));
  const token = endpoint.access === 'public' ? undefined : member.token;
  return system.api(name, { token, params, body });
};

/**
 * A refusal in the one form that failures have: a declared code, a status of the caller's mistakes, nothing of the inside.
 * Nothing outside fails here: whatever is refused is refused for what was sent.
 */
function assertRefused({ status, body }: ApiReply, endpoint: Endpoint, what: string): void {
  const code = String(body.message);
  assert.ok(isErrorCode(code), `${what}: ${code}`);
  assert.ok(status >= 400 && status < 500, `${what}: ${status} ${JSON.stringify(body)}`);
  const declared: readonly string[] = [...commonErrors, ...memberErrors, ...endpoint.errors, endpoint.malformed];
  assert.ok(declared.includes(code), `${what}: ${code} is not declared`);
  const form = ['message', 'detail', 'requestId', ...(endpoint.tellsResult ? ['success', 'error', 'result'] : [])];
  assert.deepEqual(
    Object.keys(body).filter((key) => !form.includes(key)),
    [],
    what,
  );
  assert.doesNotMatch(JSON.stringify(body), STACK, what);
}

/** What the contract refuses is 400 with the code of the call; what it lets through ends as declared, never in a defect. */
async function check(name: string, endpoint: WithBody, body: unknown, what: string): Promise<void> {
  const reply = await send(name, endpoint, body);
  if (!endpoint.body.safeParse(body).success) {
    assertRefused(reply, endpoint, what);
    assert.equal(reply.status, 400, what);
    assert.equal(reply.body.message, endpoint.malformed, what);
  } else if (reply.status >= 300) assertRefused(reply, endpoint, what);
}

describe('bodies of every call that takes one, generated from the contract', () => {
  for (const [name, endpoint] of withBody) {
    test(`${name}: malformed JSON, wrong types, missing and over-long fields [R-NET-05]`, async () => {
      for (const raw of ['{', '{"a":', 'null garbage', '{"a":1}}', '\u0000', "{'a':1}"]) {
        const reply = await send(name, endpoint, raw);
        assertRefused(reply, endpoint, raw);
        assert.equal(reply.status, 400, raw);
        assert.equal(reply.body.message, endpoint.malformed, raw);
      }
      for (const raw of ['[]', '"text"', '7', 'true']) {
        const reply = await send(name, endpoint, raw);
        assertRefused(reply, endpoint, raw);
        assert.equal(reply.status, 400, raw);
      }
      const fields = Object.keys(endpoint.body.shape);
      // Each wrong value in every field together, and in each field alone with the others missing.
      for (const value of VALUES) {
        const what = JSON.stringify(value).slice(0, 30);
        await check(name, endpoint, Object.fromEntries(fields.map((field) => [field, value])), `all ${what}`);
        for (const field of fields) await check(name, endpoint, { [field]: value }, `${field} ${what}`);
      }
      await check(name, endpoint, {}, 'nothing at all');
    });
  }

  const withParams = Object.entries<Endpoint>(endpoints).filter(([, { params }]) => params !== undefined);
  for (const [name, endpoint] of withParams) {
    test(`${name}: what can’t be a part of its path is refused [R-NET-05]`, async () => {
      const keys = Object.keys(endpoint.params?.shape ?? {});
      assert.ok(keys.length > 0);
      for (const place of PLACES) {
        const params = Object.fromEntries(keys.map((key) => [key, place]));
        const reply = await system.api(name, { token: member.token, params, ...(endpoint.body && { body: {} }) });
        assertRefused(reply, endpoint, `${name} ${place.slice(0, 20)}`);
      }
    });
  }

  const withFile = Object.entries<Endpoint>(endpoints).filter(([, { upload }]) => upload);
  test('calls that take a file refuse everything else [R-NET-05]', async () => {
    assert.equal(withFile.length, 3);
    for (const [name, endpoint] of withFile) {
      for (const body of [undefined, '{', '[]', {}, { file: OVER_LONG }]) {
        const reply = await system.api(name, { token: member.token, body });
        assertRefused(reply, endpoint, `${name} ${JSON.stringify(body)?.slice(0, 20)}`);
      }
    }
  });

  test('none of it changed the member or ended in a defect [R-NET-05]', async () => {
    const { status, body } = await system.api('GET /api/account/profile', { token: member.token });
    assert.equal(status, 200);
    assert.equal(body.bankAccount.bankAccountNo, member.bankAccountNo);
    const { phone: username, password } = member;
    assert.equal((await system.api('POST /api/login', { body: { username, password } })).status, 200);
    assert.deepEqual(system.defects, []);
  });

  test('a defect is INTERNAL_SERVER_ERROR with the id of the request, and reveals nothing internal [R-NET-05] [R-NET-06]', async () => {
    await system.database.query('alter table member_bank_account rename to hidden');
    try {
      const page = { body: { page: 1, limit: 10 } };
      const failed = [
        await system.api('GET /api/account/profile', { token: member.token }),
        await system.api('GET /api/wallet', { token: member.token }),
        await system.api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 100 } }),
      ];
      for (const { status, body } of failed) {
        assert.deepEqual([status, body.message], [500, 'INTERNAL_SERVER_ERROR'], JSON.stringify(body));
        assert.match(body.requestId, /^[\w-]{8,}$/);
        assert.deepEqual(Object.keys(body).toSorted(), ['message', 'requestId']);
        assert.doesNotMatch(JSON.stringify(body), /member_bank_account|hidden|select|relation/i);
        assert.doesNotMatch(JSON.stringify(body), STACK);
      }
      assert.equal(new Set(failed.map(({ body }) => body.requestId)).size, failed.length);
      assert.equal(
        (await system.api('POST /api/statement', { token: member.token, ...page })).status,
        200,
        'others work',
      );
    } finally {
      await system.database.query('alter table hidden rename to member_bank_account');
    }
    assert.equal(system.defects.length, 3, 'and each is a defect to those who run it');
    system.defects.length = 0;
  });

  test('unknown paths are 404 and other methods 405 for a member too [R-NET-05]', async () => {
    for (const path of ['/api/nothing', '/api/wallet/nothing/here', '/api/statement/slip/reference']) {
      const reply = await system.api(`GET ${path}`, { token: member.token });
      assert.equal(reply.status, 404, path);
      assert.equal(reply.body.message, 'NO_DATA', path);
    }
    for (const { path } of Object.values<Endpoint>(endpoints)) {
      const reply = await system.api(`PATCH ${path.replaceAll(/\{\w+\}/g, 'x')}`, { token: member.token });
      assert.equal(reply.status, 405, path);
      assert.equal(reply.body.message, 'NO_DATA', path);
    }
  });
});
