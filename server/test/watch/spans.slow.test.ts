import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import { apiClient } from '../harness/api-client.ts';
import { newPhone } from '../harness/members.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN_ID = '00f067aa0ba902b7';
const SERVER_KIND = 2;
const CLIENT_KIND = 3;
const ERROR_STATUS = 2;

const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(z.object({ key: z.string(), value: z.unknown() })) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              kind: z.int(),
              name: z.string(),
              attributes: z.array(z.object({ key: z.string(), value: z.unknown() })),
              status: z.object({ code: z.int().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});
type ExportedSpan = z.infer<typeof exportSchema>['resourceSpans'][0]['scopeSpans'][0]['spans'][0];

let system: System;
let gateway: Server;
let collector: Server;
/** Headers of the calls to the SMS gateway, and its next replies. */
const smsRequests: IncomingHttpHeaders[] = [];
let status = 201;
/** Bodies received by the collector. */
const bodies: string[] = [];
const collectorHeaders: IncomingHttpHeaders[] = [];

const listenUrl = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

before(async () => {
  gateway = createServer((request, reply) => {
    smsRequests.push(request.headers);
    request.resume().once('end', () => reply.writeHead(status).end('{"phone_number_list":[{"message_id":"1"}]}'));
  });
  collector = createServer((request, reply) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.once('end', () => {
      bodies.push(`${String(request.url)} ${body}`);
      collectorHeaders.push(request.headers);
      reply.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const url = await listenUrl(gateway);
  system = await startSystem({ simulators: false, outside: (config) => ({ ...config, sms: { ...config.sms, url } }) });
});
after(async () => {
  await system.stop();
  gateway.close();
  collector.close();
});

const readExportedSpans = (): ExportedSpan[] =>
  bodies
    .map((body) => exportSchema.parse(JSON.parse(body.slice(body.indexOf(' ')))))
    .flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
const valueOf = ({ attributes }: ExportedSpan, name: string): unknown => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value && Object.values(value)[0];
};

test("spans of a request and its outbound call belong to the caller's trace, without secrets", async () => {
  const server = await startServerProcess(system, 'warn', undefined, {
    OTEL_EXPORTER_OTLP_ENDPOINT: await listenUrl(collector),
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-key',
    OTEL_SERVICE_NAME: 'krapao-test',
  });
  const phones = [newPhone(), newPhone(), newPhone()];
  try {
    const api = apiClient(server.url);
    const sendOtp = (phoneNumber: string | undefined, traceFlags: string) =>
      api('POST /api/otp/send', {
        body: { phoneNumber },
        headers: {
          traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-${traceFlags}`,
          'x-request-id': `of-flags-${traceFlags}`,
        },
      });
    assert.equal((await sendOtp(phones[0], '01')).status, 200);
    assert.match(String(smsRequests.at(-1)?.['traceparent']), new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`));
    assert.equal((await sendOtp(phones[1], '00')).status, 200);
    assert.match(String(smsRequests.at(-1)?.['traceparent']), new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-00$`));
    status = 500;
    await api('POST /api/otp/send', { body: { phoneNumber: phones[2] } });
    await fetch(`${server.url}/api/autoLogin/pg/KRPA01/s3cret?key=s3cret`);
    await fetch(`${server.url}/health/live`);
  } finally {
    status = 201;
    // Stopping exports the remaining spans.
    await server.stop();
  }
  const spans = readExportedSpans();
  const callerSpans = spans.filter(({ traceId }) => traceId === TRACE_ID);
  assert.deepEqual(
    callerSpans.map(({ kind }) => kind).toSorted((a, b) => a - b),
    [SERVER_KIND, CLIENT_KIND],
    'those of the recorded request alone',
  );
  const [request, callSpan] = [SERVER_KIND, CLIENT_KIND].map((spanKind) =>
    callerSpans.find((span) => span.kind === spanKind),
  );
  assert.ok(request && callSpan);
  assert.equal(request.parentSpanId, CALLER_SPAN_ID);
  assert.equal(request.name, 'POST /api/otp/send');
  assert.equal(valueOf(request, 'http.route'), '/api/otp/send');
  assert.equal(valueOf(request, 'http.response.status_code'), 200);
  assert.equal(valueOf(request, 'krapao.request_id'), 'of-flags-01');
  assert.equal(callSpan.parentSpanId, request.spanId);
  assert.equal(smsRequests[0]?.['traceparent'], `00-${TRACE_ID}-${callSpan.spanId}-01`);
  assert.equal(valueOf(callSpan, 'krapao.outcome'), 'answered');
  const failedSpan = spans.find((span) => span.kind === CLIENT_KIND && valueOf(span, 'krapao.outcome') === 'failed');
  assert.equal(failedSpan?.status.code, ERROR_STATUS);
  assert.equal(valueOf(failedSpan, 'http.response.status_code'), 500);
  const launch = spans.find(({ name }) => name.startsWith('GET /api/autoLogin/'));
  assert.equal(launch?.name, 'GET /api/autoLogin/:provider/:username/:password');
  assert.ok(!spans.some(({ name }) => name.includes('/health/')), 'health checks have no spans');
  assert.ok(bodies.every((body) => body.startsWith('/v1/traces ') && body.includes('krapao-test')));
  assert.ok(collectorHeaders.every(({ authorization }) => authorization === 'Bearer collector-key'));
  for (const secret of ['s3cret', ...phones]) assert.ok(!bodies.join('').includes(secret), `${secret} is exported`);
});

test('an unreachable trace collector fails no request, and is logged once a minute', async () => {
  const server = await startServerProcess(system, 'warn', undefined, {
    // The port of a stopped collector.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  try {
    const api = apiClient(server.url);
    assert.equal((await api('POST /api/otp/send', { body: { phoneNumber: newPhone() } })).status, 200);
    const logText = await server.waitForLog(/spans were not exported/);
    assert.match(logText, /"reason":.*"msg":"spans were not exported"/);
    assert.equal((await api('POST /api/otp/send', { body: { phoneNumber: newPhone() } })).status, 200);
    assert.equal(server.readLog().match(/spans were not exported/g)?.length, 1);
  } finally {
    await server.stop();
  }
});
