import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { apiClient } from '../harness/api-client.ts';
import { readNewestSms, newPhone, registrationBody } from '../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
let server: ServerProcess;
before(async () => {
  system = await startSystem();
  server = await startServerProcess(system, 'debug');
});
after(async () => {
  await server.stop();
  await system.stop();
});

test('the log contains no password, code, token or account number, even of failed calls', async () => {
  const phone = newPhone();
  const [password, nextPassword, wrongPassword] = [
    'canary-first-password',
    'canary-second-password',
    'canary-wrong-password',
  ];
  const registration = registrationBody({ phone, password });
  const api = apiClient(server.url);

  const otpReply = await api('POST /api/otp/send', { body: { phoneNumber: phone } });
  const { otpToken } = otpReply.body;
  const code = (await readNewestSms(system, phone))?.code ?? '';
  await api('POST /api/otp/verify', { body: { otpToken, otpCode: 'canary-code' } });
  assert.equal((await api('POST /api/otp/verify', { body: { otpToken, otpCode: code } })).status, 200);
  assert.equal((await api('POST /api/account', { body: registration })).status, 200);
  await api('POST /api/account', { body: { ...registration, password: nextPassword } });
  await api('POST /api/login', { body: { username: phone, password: wrongPassword } });
  await api('POST /api/login', { body: `{"username":"${phone}","password":"${wrongPassword}"` });
  await api('POST /api/login', { body: { username: { x: wrongPassword }, password: [wrongPassword] } });
  const { token } = (await api('POST /api/login', { body: { username: phone, password } })).body;
  assert.equal(
    (await api('PUT /api/account/changepwd', { token, body: { oldPassword: password, newPassword: nextPassword } }))
      .status,
    200,
  );
  const slot = { params: { slotCode: 'askmebet' }, token };
  const game = (await api('GET /api/wallet/activate/{slotCode}', slot)).body;
  const params = { provider: 'askmebet', username: game.username, password: 'canary-path-password' };
  const launchReply = await api('GET /api/autoLogin/{provider}/{username}/{password}', { token, params });
  assert.equal(launchReply.status, 200, JSON.stringify(launchReply.body));
  await api(`GET /api/account/profile?token=${token}&password=${wrongPassword}`, { token });

  // The log of a defect contains all its details: a broken table would reveal its values.
  await system.database.query('alter table member_session rename column expires_at to hidden');
  assert.equal(
    (await api('POST /api/login', { body: { username: phone, password: nextPassword } })).body.message,
    'LOGIN_FAIL',
  );
  assert.equal((await api('GET /api/account/profile', { token })).body.message, 'INTERNAL_SERVER_ERROR');
  await system.database.query('alter table member_session rename column hidden to expires_at');

  const log = server.readLog();
  assert.match(log, /"path":"\/api\/login"/);
  assert.match(log, /login ended in an error/);
  const secrets = [
    password,
    nextPassword,
    wrongPassword,
    'canary-',
    otpToken,
    token,
    game.password,
    registration['bankAccountNo'] ?? '',
  ];
  for (const secret of secrets) assert.ok(!log.includes(secret), `${secret} is in the log`);
  assert.doesNotMatch(log, new RegExp(`(?<![\\d.])${code}(?!\\d)`));
});
