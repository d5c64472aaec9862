import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { commonErrors, type Endpoint, memberErrors } from '@krapao/contract/endpoint';
import { endpoints } from '@krapao/contract/endpoints';
import { isErrorCode } from '@krapao/contract/errors';
import type { ApiReply } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { openSlipDeposits } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';

type WithBody = Endpoint & { body: NonNullable<Endpoint['body']> };
const withBody = Object.entries<Endpoint>(endpoints).filter(
  (entry): entry is [string, WithBody] => entry[1].body !== undefined,
);

const STACK_TRACE = /\bat .*\(?(?:\/|file:|node:)|node_modules|\.ts:\d+/;
const TOO_LONG_TEXT = 'x'.repeat(5_000);
/** Values of which every body field refuses at least one. */
const INVALID_VALUES: readonly unknown[] = [
  null,
  true,
  -1.5,
  1e308,
  '',
  'x',
  'a\0b',
  TOO_LONG_TEXT,
  [],
  {},
  [[]],
  { a: { b: 1 } },
];
/** Values of path parameters in place of a code, a name or an id. */
const PATH_VALUES = [
  'x',
  '0',
  "' or 1=1 --",
  '../../etc/passwd',
  'a\0b',
  'ก',
  '%',
  '\u202e',
  'x'.repeat(1_000),
  TOO_LONG_TEXT,
];

let system: System;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system);
  await openSlipDeposits(system);
});
after(() => system.stop());

const sendBody = (name: string, endpoint: Endpoint, body: unknown): Promise<ApiReply> => {
  const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((key) => [key, 'KBANK']));
  const token = endpoint.access === 'public' ? undefined : member.token;
  return system.api(name, { token, params, body });
};

/**
 * Asserts a refusal in the common form: a declared code, a client error status, no internals. The simulators have no
 * faults, so the sent body is the cause.
 */
function assertRefused({ status, body }: ApiReply, endpoint: Endpoint, description: string): void {
  const code = String(body.message);
  assert.ok(isErrorCode(code), `${description}: ${code}`);
  assert.ok(status >= 400 && status < 500, `${description}: ${status} ${JSON.stringify(body)}`);
  const declaredErrors: readonly string[] = [...commonErrors, ...memberErrors, ...endpoint.errors, endpoint.malformed];
  assert.ok(declaredErrors.includes(code), `${description}: ${code} is not declared`);
  const form = ['message', 'detail', 'requestId', ...(endpoint.tellsResult ? ['success', 'error', 'result'] : [])];
  assert.deepEqual(
    Object.keys(body).filter((key) => !form.includes(key)),
    [],
    description,
  );
  assert.doesNotMatch(JSON.stringify(body), STACK_TRACE, description);
}

/**
 * A body that violates the contract is refused with 400 and the call's code; any other body has a declared outcome and
 * causes no defect.
 */
async function checkBody(name: string, endpoint: WithBody, body: unknown, description: string): Promise<void> {
  const reply = await sendBody(name, endpoint, body);
  if (!endpoint.body.safeParse(body).success) {
    assertRefused(reply, endpoint, description);
    assert.equal(reply.status, 400, description);
    assert.equal(reply.body.message, endpoint.malformed, description);
  } else if (reply.status >= 300) assertRefused(reply, endpoint, description);
}

describe('bodies of every call that takes one, generated from the contract', () => {
  for (const [name, endpoint] of withBody) {
    test(`${name} refuses malformed JSON, wrong types, missing and over-long fields [R-NET-05]`, async () => {
      for (const rawBody of ['{', '{"a":', 'null garbage', '{"a":1}}', '\u0000', "{'a':1}"]) {
        const reply = await sendBody(name, endpoint, rawBody);
        assertRefused(reply, endpoint, rawBody);
        assert.equal(reply.status, 400, rawBody);
        assert.equal(reply.body.message, endpoint.malformed, rawBody);
      }
      for (const raw of ['[]', '"text"', '7', 'true']) {
        const reply = await sendBody(name, endpoint, raw);
        assertRefused(reply, endpoint, raw);
        assert.equal(reply.status, 400, raw);
      }
      const fields = Object.keys(endpoint.body.shape);
      // Each invalid value in all fields together, and in each field with the others missing.
      for (const value of INVALID_VALUES) {
        const description = JSON.stringify(value).slice(0, 30);
        await checkBody(
          name,
          endpoint,
          Object.fromEntries(fields.map((field) => [field, value])),
          `all ${description}`,
        );
        for (const field of fields) await checkBody(name, endpoint, { [field]: value }, `${field} ${description}`);
      }
      await checkBody(name, endpoint, {}, 'nothing at all');
    });
  }

  const endpointsWithParams = Object.entries<Endpoint>(endpoints).filter(([, { params }]) => params !== undefined);
  for (const [name, endpoint] of endpointsWithParams) {
    test(`${name} refuses invalid path parameters [R-NET-05]`, async () => {
      const keys = Object.keys(endpoint.params?.shape ?? {});
      assert.ok(keys.length > 0);
      for (const pathValue of PATH_VALUES) {
        const params = Object.fromEntries(keys.map((key) => [key, pathValue]));
        const reply = await system.api(name, { token: member.token, params, ...(endpoint.body && { body: {} }) });
        assertRefused(reply, endpoint, `${name} ${pathValue.slice(0, 20)}`);
      }
    });
  }

  const withFile = Object.entries<Endpoint>(endpoints).filter(([, { upload }]) => upload);
  test('calls that accept a file refuse every other body [R-NET-05]', async () => {
    assert.equal(withFile.length, 3);
    for (const [name, endpoint] of withFile) {
      for (const body of [undefined, '{', '[]', {}, { file: TOO_LONG_TEXT }]) {
        const reply = await system.api(name, { token: member.token, body });
        assertRefused(reply, endpoint, `${name} ${JSON.stringify(body)?.slice(0, 20)}`);
      }
    }
  });

  test('after all malformed bodies the member is unchanged and there was no internal error [R-NET-05]', async () => {
    const { status, body } = await system.api('GET /api/account/profile', { token: member.token });
    assert.equal(status, 200);
    assert.equal(body.bankAccount.bankAccountNo, member.bankAccountNo);
    const { phone: username, password } = member;
    assert.equal((await system.api('POST /api/login', { body: { username, password } })).status, 200);
    assert.deepEqual(system.defects, []);
  });

  test('an internal error is INTERNAL_SERVER_ERROR with the request id, and reveals nothing internal [R-NET-05] [R-NET-06]', async () => {
    await system.database.query('alter table member_bank_account rename to hidden');
    try {
      const page = { body: { page: 1, limit: 10 } };
      const failedCalls = [
        await system.api('GET /api/account/profile', { token: member.token }),
        await system.api('GET /api/wallet', { token: member.token }),
        await system.api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 100 } }),
      ];
      for (const { status, body } of failedCalls) {
        assert.deepEqual([status, body.message], [500, 'INTERNAL_SERVER_ERROR'], JSON.stringify(body));
        assert.match(body.requestId, /^[\w-]{8,}$/);
        assert.deepEqual(Object.keys(body).toSorted(), ['message', 'requestId']);
        assert.doesNotMatch(JSON.stringify(body), /member_bank_account|hidden|select|relation/i);
        assert.doesNotMatch(JSON.stringify(body), STACK_TRACE);
      }
      assert.equal(new Set(failedCalls.map(({ body }) => body.requestId)).size, failedCalls.length);
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
