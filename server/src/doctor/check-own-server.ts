import { z } from 'zod';
import type { Config } from '../platform/config.ts';
import { parseSamples } from '../platform/http/health.ts';
import { callOutside, OutboundFailure, type OutboundReply } from '../platform/http/outbound.ts';
import type { Clock } from '../platform/time.ts';
import { createFindingFactory, type Finding, formatDuration } from './finding.ts';

/** Each of two calls, together below the limit of a check. */
const REPLY_TIMEOUT_MS = 2_500;
const OK_STATUS = 200;
const NOT_FOUND_STATUS = 404;
const DOWN_PAGE = 'docs/runbooks/alerts.md#krapaonodedown';
const NOT_READY_PAGE = 'docs/runbooks/alerts.md#krapaonotready';
const SILENT_PAGE = 'docs/runbooks/alerts.md#krapaocounterpartysilent';
/** Threshold of the alert KrapaoCounterpartySilent. */
const UNANSWERED_CALLS_MIN = 5;

const readiness = z.object({ status: z.string() });
const { good, warning, fault } = createFindingFactory('server');
const callFindings = createFindingFactory('recent calls');

/** Checks that the server of these settings runs and is ready, and which parties do not reply to it. */
export async function checkOwnServer(config: Config, clock: Clock): Promise<Finding[]> {
  const url = addressOf(config);
  if (url === undefined) {
    return [warning('This was not examined: PORT is 0, so its port is not known.', 'Set PORT, or SERVER_URL.')];
  }
  const reply = await requestReply(`${url}/health/ready`);
  if (reply instanceof OutboundFailure) return [unreachableFinding(url, reply, config)];
  const finding = readinessFinding(url, reply);
  return finding.level === 'good' ? [finding, ...(await checkRecentCalls(url, config, clock))] : [finding];
}

/** Address of the server, as this process reaches it; undefined: its port is not known. */
function addressOf({ serverUrl, host, port }: Config): string | undefined {
  if (serverUrl !== undefined) return serverUrl;
  if (port === 0) return undefined;
  const reachableHost = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${port}`;
}

async function requestReply(url: string): Promise<OutboundReply | OutboundFailure> {
  try {
    return await callOutside({ method: 'GET', url, timeoutMs: REPLY_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof OutboundFailure) return error;
    throw error;
  }
}

function unreachableFinding(url: string, { message }: OutboundFailure, { simulators }: Config): Finding {
  if (simulators)
    return good(`No server replies at ${url} (${message}). Simulators are on: no real money waits for it.`);
  return fault(
    `No server replies at ${url} (${message}): members can't play.`,
    `systemctl start krapao; if it does not stay up: ${DOWN_PAGE}.`,
  );
}

function readinessFinding(url: string, { status, text }: OutboundReply): Finding {
  const body = readiness.safeParse(parseOrUndefined(text));
  if (!body.success) {
    return fault(
      `${url} replies with HTTP ${status}, but not as this server does: another program has its port.`,
      'See which one (ss -ltnp), or correct HOST, PORT or SERVER_URL.',
    );
  }
  if (status === OK_STATUS) return good(`The server at ${url} is ready.`);
  return fault(`The server at ${url} is not ready: ${body.data.status}.`, `${NOT_READY_PAGE}.`);
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Checks which parties did not reply to the newest calls of the server. Calls none itself. */
async function checkRecentCalls(url: string, { metricsPort }: Config, clock: Clock): Promise<Finding[]> {
  const metricsUrl = new URL('/metrics', url);
  if (metricsPort !== undefined && metricsPort !== 0) metricsUrl.port = String(metricsPort);
  const reply = await requestReply(metricsUrl.href);
  if (reply instanceof OutboundFailure || reply.status !== OK_STATUS) {
    const reason = reply instanceof OutboundFailure ? reply.message : `HTTP ${reply.status}`;
    const isClosed = !(reply instanceof OutboundFailure) && reply.status === NOT_FOUND_STATUS;
    return [
      callFindings.warning(
        `This was not examined: ${metricsUrl.href} can't be read (${reason}).`,
        isClosed ? 'Set METRICS_PORT: without it only this machine may read /metrics.' : `${NOT_READY_PAGE}.`,
      ),
    ];
  }
  return findSilentParties(reply.text, clock.now().getTime() / 1_000);
}

function findSilentParties(metrics: string, nowSeconds: number): Finding[] {
  const lastCalls = parseSamples(metrics, 'krapao_counterparty_last_call_timestamp_seconds');
  const unanswered = parseSamples(metrics, 'krapao_counterparty_unanswered_calls');
  const findings: Finding[] = [];
  const replying: string[] = [];
  const byParty = Map.groupBy(lastCalls, ({ labels }) => labels['party'] ?? '');
  // Push services and the object storage have the label party=other.
  byParty.delete('other');
  for (const [party, calls] of byParty) {
    const lastReply = calls.find(({ labels }) => labels['outcome'] === 'answered')?.value;
    const failures = calls.filter(({ labels }) => labels['outcome'] !== 'answered');
    const lastFailure = failures.toSorted((a, b) => b.value - a.value)[0];
    if (lastFailure === undefined || (lastReply !== undefined && lastReply >= lastFailure.value)) {
      replying.push(party);
      continue;
    }
    const count = unanswered.find(({ labels }) => labels['party'] === party)?.value ?? 0;
    const ago = (seconds: number): string => `${formatDuration(Math.max(0, nowSeconds - seconds))} ago`;
    const sentence = [
      `${party} did not reply to the last ${count > 1 ? `${count} calls, the newest` : 'call,'} ${ago(lastFailure.value)}`,
      `(${lastFailure.labels['outcome'] ?? ''});`,
      lastReply === undefined ? 'it has not replied since the server started.' : `it replied ${ago(lastReply)}.`,
    ].join(' ');
    const remedy = `krapao doctor --calls; ${SILENT_PAGE}.`;
    findings.push(
      count >= UNANSWERED_CALLS_MIN ? callFindings.fault(sentence, remedy) : callFindings.warning(sentence, remedy),
    );
  }
  if (findings.length > 0 || replying.length === 0) return findings;
  return [callFindings.good(`Replied to the server's last call: ${replying.toSorted().join(', ')}.`)];
}
