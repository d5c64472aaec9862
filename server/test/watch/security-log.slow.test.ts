import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { z } from 'zod';
import { securityCalls, toSecurityEvent, securityEvents } from '../../src/platform/http/log.ts';
import { assertCodeNotCreated, injectFault, qrCustomer } from '../deposit/qrcode/qr-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';
import { readNewestSms, newPhone, registerMember, registrationBody } from '../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LOG_PAGE = readFileSync(join(ROOT, 'docs/runbooks/logs.md'), 'utf8');

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

test('the page of security events lists every event and every field of its line, and no others', () => {
  const tableRows = (table: string) => [
    ...((LOG_PAGE.split(table)[1] ?? '').split('\n\n')[1]?.matchAll(/^\| `([^`]+)`/gm) ?? []),
  ];
  assert.deepEqual(new Set(tableRows('### Events').map(([, name]) => name)), new Set(securityEvents));
  assert.deepEqual(
    new Set(tableRows('### Fields').map(([, name]) => name)),
    new Set(Object.keys(securityLogShape.shape)),
  );
});

test('every call with a security event exists in the API', () => {
  const securityCallNames = new Set(
    Object.values(endpoints).map(({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  );
  for (const call of securityCalls) assert.ok(securityCallNames.has(call), call);
});

test('logins, codes, registrations and sessions write security events in the documented format', async () => {
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

/** Prints the file `journal` as journald prints the lines of a unit, and fails for other arguments than the page's. */
const JOURNALCTL = `#!/bin/bash
[[ "$*" =~ ^-u\\ krapao\\ -o\\ short-iso\\ --since\\ -[0-9]+d$ ]] || exit 1
sed 's/^/2026-11-21T09:00:00+0700 play krapao[1]: /' "$(dirname "$0")/journal"
`;

test('the printed commands find a request by its id and a movement by its reference, oldest first', async () => {
  const member = await registerMember(system);
  await injectFault(system, { fault: 'decline' });
  const reply = await qrCustomer({ ...system, api: apiClient(server.url) }, member).create(100);
  assertCodeNotCreated(reply);
  const { reference } = reply.body;
  const log = await server.waitForLog(new RegExp(`${reference}[^]*"method":"POST"`));
  const folder = mkdtempSync(join(tmpdir(), 'krapao-follow-'));
  try {
    const scripts = {
      journalctl: JOURNALCTL,
      krapao: `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'server/src/cli/krapao.ts')} "$@"\n`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(folder, name), script);
      chmodSync(join(folder, name), 0o755);
    }
    writeFileSync(join(folder, 'journal'), log);
    const line = `{"msg":"first","reference":"${reference}"}\n`;
    for (const [name, text] of [
      ['server.log', log],
      ['server.log.1', ''],
      ['server.log.10', line],
    ] as const)
      writeFileSync(join(folder, name), text);
    const entry = log.split('\n').find((text) => text.includes(reference)) ?? '';
    const { reqId } = JSON.parse(entry) as { reqId: string };
    const section = LOG_PAGE.split('## Follow one request or reference')[1]?.split('\n## ')[0] ?? '';
    const commands = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
      block.trim().split('\n'),
    );
    const outputs = commands.map((command) =>
      execFileSync(
        'bash',
        [
          '-e',
          '-o',
          'pipefail',
          '-c',
          command
            .replace(/K7Q2MWX4PC9R(?=")/, reqId)
            .replace(/T7Q2MWX4PC9RDH/, reference)
            .replace('/var/lib/krapao/logs', folder),
        ],
        {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
          env: {
            ...CHILD_ENVIRONMENT,
            PATH: `${folder}:${process.env['PATH'] ?? ''}`,
            DATA_DIR: folder,
            DATABASE_URL: system.databaseUrl,
          },
        },
      ),
    );
    const [byRequest = '', byReference = '', , fromFiles = ''] = outputs;
    assert.equal(outputs.length, 4);
    assert.match(byRequest, /"msg":"gateway created no QR"/);
    assert.match(byRequest, /^2026-11-21T09:00:00\+0700 .*"method":"POST","path":"\/api\//m);
    assert.match(byReference, /"msg":"gateway created no QR"/);
    assert.ok(fromFiles.startsWith(line) && fromFiles.includes(entry), fromFiles);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
