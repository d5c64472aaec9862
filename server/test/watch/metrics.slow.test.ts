import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient } from '../harness/api-client.ts';
import { runCommand } from '../harness/command.ts';
import { newPhone } from '../harness/members.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

let system: System;
let gateway: Server;
/** Reply status of the SMS gateway, and the headers of its calls. */
let status = 201;
const smsRequests: IncomingHttpHeaders[] = [];

before(async () => {
  gateway = createServer((request, reply) => {
    smsRequests.push(request.headers);
    request.resume().once('end', () => reply.writeHead(status).end('{"phone_number_list":[{"message_id":"1"}]}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => gateway.once('listening', resolve));
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  system = await startSystem({ simulators: false, outside: (config) => ({ ...config, sms: { ...config.sms, url } }) });
});
after(async () => {
  await system.stop();
  gateway.close();
});

const readMetrics = async (): Promise<string> => String((await system.api('GET /metrics')).body);
/** Repeats a scrape until the metrics are the expected ones: queues are up to a second old. */
async function waitForMetrics(isRight: (text: string) => boolean): Promise<string> {
  for (;;) {
    const text = await readMetrics();
    if (isRight(text)) return text;
  }
}
const sendOtp = (headers: Record<string, string> = {}, api = system.api) =>
  api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, headers });

test('outbound calls are counted by counterparty and outcome', async () => {
  assert.equal((await sendOtp()).status, 200);
  status = 500;
  await sendOtp();
  status = 201;
  const text = await readMetrics();
  for (const outcome of ['answered', 'failed']) {
    assert.match(
      text,
      new RegExp(`^krapao_counterparty_call_seconds_count\\{party="sms",outcome="${outcome}"\\} 1$`, 'm'),
    );
  }
});

test('each queue has metrics of depth and age, and an unreadable one leaves the others', async () => {
  await system.database.query(
    `insert into deposit_parked (gateway, reference, reason, evidence, first_at)
     values ('FP', 'R1', 'AMOUNT', '', now() - interval '1 hour')`,
  );
  const text = await waitForMetrics((now) =>
    /^krapao_queue_items\{queue="qrcode",waits_for="operator"\} 1$/m.test(now),
  );
  assert.match(text, /^krapao_queue_oldest_seconds\{queue="qrcode",waits_for="operator"\} \d{4,}(\.\d+)?$/m);
  assert.match(text, /^krapao_queue_items\{queue="transfer",waits_for="resolver"\} 0$/m);
  assert.match(text, /^krapao_ready 1$/m);
  assert.match(text, /^krapao_sockets_open 0$/m);
  await system.database.query('alter table deposit_parked rename to deposit_parked_away');
  const metricsWithoutQueues = await waitForMetrics((now) => !/^krapao_queue_items\{/m.test(now));
  assert.match(metricsWithoutQueues, /^http_request_seconds_count/m);
  await system.database.query('alter table deposit_parked_away rename to deposit_parked');
});

test("/status shows the metrics' facts to an operator, on this machine only", async () => {
  await system.database.query('update deposit_parked set settled_at = null');
  await waitForMetrics((now) => /^krapao_queue_items\{queue="qrcode",waits_for="operator"\} 1$/m.test(now));
  const { headers, body } = await system.api('GET /status');
  assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  assert.match(String(body), /^Krapao \d+\.\d+\.\d+, up \d/);
  assert.match(String(body), /^ready: takes calls and writes$/m);
  assert.match(String(body), /^ {2}qrcode for the operator: 1, \d{4,}$/m);
  assert.match(String(body), /^ {2}sms: answered 1, failed 1$/m);
  const forwardedReply = await system.api('GET /status', { headers: { 'x-forwarded-for': '203.0.113.9' } });
  assert.equal(forwardedReply.status, 404);
});

test('a request keeps its id and trace in its reply, its log line and its outbound calls', async () => {
  const server = await startServerProcess(system, 'info');
  try {
    const api = apiClient(server.url);
    const headers = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`, 'x-request-id': 'balancer-12345678' };
    const reply = await sendOtp(headers, api);
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-request-id'), 'balancer-12345678');
    const lastHeaders = smsRequests.at(-1) ?? {};
    assert.equal(lastHeaders['x-request-id'], 'balancer-12345678');
    assert.match(
      String(lastHeaders['traceparent']),
      new RegExp(`^00-${TRACE_ID}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
    );
    const logLine = new RegExp(`"reqId":"balancer-12345678".*"path":"/api/otp/send".*"trace":"${TRACE_ID}"`);
    assert.match(await server.waitForLog(logLine), logLine);

    for (const invalidTrace of [
      '',
      '00-0-0-0',
      `ff-${TRACE_ID}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    ]) {
      const ownReply = await sendOtp({ traceparent: invalidTrace, 'x-request-id': 'a b' }, api);
      assert.match(ownReply.headers.get('x-request-id') ?? '', /^[A-Z0-9]{12}$/);
      assert.match(
        String(smsRequests.at(-1)?.['traceparent']),
        new RegExp(`^00-(?!${TRACE_ID})(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-00$`),
      );
    }
  } finally {
    await server.stop();
  }
});

test('an audit writes its outcome for Prometheus, and refuses another option', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-metrics-'));
  const file = join(folder, 'krapao-audit.prom');
  assert.equal((await runCommand(system, 'audit', ['--metrics', file])).status, 0);
  const text = readFileSync(file, 'utf8');
  assert.match(text, /^krapao_audit_wrong 0$/m);
  const [, seconds] = /^krapao_audit_timestamp_seconds (\d+)$/m.exec(text) ?? [];
  assert.ok(Math.abs(Number(seconds) - Date.now() / 1000) < 3600);
  await system.database.query(`insert into ledger.account (member_id, kind, currency, bounded, posted)
    values ('m', 'WALLET', 'BAHT', true, 5)`);
  assert.equal((await runCommand(system, 'audit', ['--metrics', file])).status, 1);
  assert.match(readFileSync(file, 'utf8'), /^krapao_audit_wrong [1-9]/m);
  await system.database.query(`delete from ledger.account where member_id = 'm'`);
  const refusedResult = await runCommand(system, 'audit', ['--file', file]);
  assert.deepEqual([refusedResult.status, /There is one option: --metrics FILE/.test(refusedResult.output)], [1, true]);
  rmSync(folder, { recursive: true });
});
