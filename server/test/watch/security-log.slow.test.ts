import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { z } from 'zod';
import { securityCalls, toSecurityEvent, securityEvents } from '../../src/platform/http/log.ts';
import { apiClient } from '../harness/api-client.ts';
import { readNewestSms, newPhone, registrationBody } from '../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

const LOG_PAGE = readFileSync(join(import.meta.dirname, '../../../docs/runbooks/logs.md'), 'utf8');

/** Shape of a security event in the log, as docs/runbooks/logs.md describes it. */
const securityLogShape = z.strictObject({
  level: z.literal(30),
  time: z.int().positive(),
  pid: z.int(),
  hostname: z.string(),
  reqId: z.string().regex(/^[\w-]{8,64}$/),
  method: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
  path: z.string().startsWith('/api/'),
  status: z.int(),
  ms: z.number(),
  ip: z.string(),
  trace: z.string().regex(/^[0-9a-f]{32}$/),
  security: z.enum([...securityEvents]),
});

let system: System;
let server: ServerProcess;
before(async () => {
  system = await startSystem();
  server = await startServerProcess(system, 'info');
});
after(async () => {
  await server.stop();
  await system.stop();
});

test('every security event and every field of its line is described, and nothing that is none', () => {
  const tableRows = (table: string) => [
    ...((LOG_PAGE.split(table)[1] ?? '').split('\n\n')[1]?.matchAll(/^\| `([^`]+)`/gm) ?? []),
  ];
  assert.deepEqual(new Set(tableRows('### Events').map(([, name]) => name)), new Set(securityEvents));
  assert.deepEqual(
    new Set(tableRows('### Fields').map(([, name]) => name)),
    new Set(Object.keys(securityLogShape.shape)),
  );
});

test('every call with a security event is one of the API', () => {
  const securityCallNames = new Set(
    Object.values(endpoints).map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  for (const call of securityCalls) assert.ok(securityCallNames.has(call), call);
});

test('logins, codes, registrations and sessions leave lines of that form', async () => {
  const api = apiClient(server.url);
  const phone = newPhone();
  const { otpToken } = (await api('POST /api/otp/send', { body: { phoneNumber: phone } })).body;
  await api('POST /api/otp/verify', { body: { otpToken, otpCode: 'xxxxxx' } });
  const code = (await readNewestSms(system, phone))?.code;
  await api('POST /api/otp/verify', { body: { otpToken, otpCode: code } });
  const registration = registrationBody({ phone });
  await api('POST /api/account', { body: registration });
  const { password } = registration;
  await api('POST /api/login', { body: { username: phone, password: 'not-the-password' } });
  const { token } = (await api('POST /api/login', { body: { username: phone, password } })).body;
  const passwordChange = { oldPassword: 'not-the-password', newPassword: 'blue-basket-28' };
  await api('PUT /api/account/changepwd', { token, body: passwordChange });
  await api('GET /api/wallet', { token: 'x'.repeat(43) });
  await api('POST /api/logout', { token });
  const securityLines = (await server.waitForLog(/"security":"logout\.accepted"/))
    .split('\n')
    .filter((line) => line.includes('"security"'))
    .map((line) => securityLogShape.parse(JSON.parse(line)));
  assert.deepEqual(
    securityLines.map(({ security }) => security),
    [
      'code.send.accepted',
      'code.verify.refused',
      'code.verify.accepted',
      'account.register.accepted',
      'login.refused',
      'login.accepted',
      'password.change.refused',
      'session.refused',
      'logout.accepted',
    ],
  );
  assert.equal(toSecurityEvent('POST', '/api/login', 429), 'limit.reached');
  assert.equal(toSecurityEvent('POST', '/api/login', 503), undefined);
});
