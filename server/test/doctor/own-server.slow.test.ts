import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '../harness/command.ts';
import { freePort } from '../harness/free-port.ts';
import { newPhone } from '../harness/members.ts';
import { writeOutside } from '../harness/outside-file.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
let directory: string;
/** Status of the replies of another HTTP server, which is also the SMS gateway; undefined: none. */
let status: number | undefined = 201;
const otherServer = createServer((request, reply) => {
  request.resume().once('end', () => {
    if (status !== undefined) reply.writeHead(status).end('{"phone_number_list":[{"message_id":"1"}]}');
  });
});
let otherPort: number;
before(async () => {
  otherServer.listen(0, '127.0.0.1');
  await new Promise((resolve) => otherServer.once('listening', resolve));
  otherPort = (otherServer.address() as AddressInfo).port;
  system = await startSystem({
    simulators: false,
    outside: (config) => ({ ...config, sms: { ...config.sms, url: `http://127.0.0.1:${otherPort}` } }),
  });
  directory = mkdtempSync(join(tmpdir(), 'krapao-own-server-'));
  const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
  writeOutside(join(directory, 'outside.json'), system.outside);
});
after(async () => {
  rmSync(directory, { recursive: true });
  await system.stop();
  otherServer.closeAllConnections();
  otherServer.close();
});

/** Lines of the doctor in production about its own server, each with its remedy. */
async function runDoctor(environment: Readonly<Record<string, string>>): Promise<string> {
  const { output } = await runCommand(system, 'doctor', [], {
    DATA_DIR: directory,
    SIMULATORS: 'off',
    ...environment,
  });
  const lines = output.split('\n');
  return lines
    .flatMap((line, index) => (/ (?:server|recent calls): /.test(line) ? [line, lines[index + 1] ?? ''] : []))
    .join('\n');
}

test('in production a server that does not run, does not reply or is not ready is a fault with its page', async () => {
  const port = String(await freePort());
  const down = await runDoctor({ PORT: port, HOST: '0.0.0.0' });
  assert.match(
    down,
    /^FAULT +server: No server replies at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\): members can't play\.\n +→ systemctl start krapao; .*alerts\.md#krapaonodedown\.$/,
  );
  assert.match(
    await runDoctor({ PORT: port, SIMULATORS: 'on' }),
    /^right +server: No server replies .*\. Simulators are on: no real money waits for it\./,
  );
  assert.match(await runDoctor({ PORT: '0' }), /^WARNING +server: This was not examined: PORT is 0/);
  assert.match(
    await runDoctor({ PORT: port, SERVER_URL: 'http://server.invalid:3000' }),
    /^FAULT +server: No server replies at http:\/\/server\.invalid:3000 \(.+\): /,
  );
  assert.match(
    await runDoctor({ PORT: String(otherPort) }),
    /^FAULT +server: .* replies with HTTP 201, but not as this server does: another program has its port/,
  );
  const server = await startServerProcess(system);
  try {
    const { port: serverPort } = new URL(server.url);
    assert.match(
      await runDoctor({ PORT: serverPort }),
      /^right +server: The server at http:\/\/127\.0\.0\.1:\d+ is ready/,
    );
    server.freeze();
    const startedAt = performance.now();
    assert.match(await runDoctor({ PORT: serverPort }), /^FAULT +server: No server replies .* \(no answer within/);
    assert.ok(performance.now() - startedAt < 20_000);
    server.thaw();
  } finally {
    await server.stop();
  }
  system.app.http.draining = true;
  assert.match(
    await runDoctor({ SERVER_URL: system.url }),
    /^FAULT +server: .* is not ready: stopping\.\n +→ docs\/runbooks\/alerts\.md#krapaonotready/,
  );
  system.app.http.draining = false;
});

test('without calls doctor names a party that stopped replying to the server, until it replies again', async () => {
  const sendCode = () => system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() } });
  const environment = { SERVER_URL: system.url };
  await sendCode();
  assert.doesNotMatch(await runDoctor(environment), /recent calls: sms/);
  status = 503;
  await sendCode();
  assert.match(
    await runDoctor(environment),
    /^WARNING +recent calls: sms did not reply to the last call, \d+ s ago \(failed\); it replied \d+ s ago\.\n +→ .*alerts\.md#krapaocounterpartysilent\.$/m,
  );
  for (let call = 2; call <= 5; call += 1) await sendCode();
  assert.match(
    await runDoctor(environment),
    /^FAULT +recent calls: sms did not reply to the last 5 calls, the newest \d+ s ago/m,
  );
  status = 201;
  await sendCode();
  assert.doesNotMatch(await runDoctor(environment), /recent calls: sms/);
  // Without METRICS_PORT only calls from loopback may read them; this port has no server.
  const port = String(await freePort());
  assert.match(
    await runDoctor({ ...environment, METRICS_PORT: port }),
    /^WARNING +recent calls: This was not examined: http:\S+\/metrics can't be read \(ECONNREFUSED\)/m,
  );
});
