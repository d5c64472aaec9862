import { htmlLang, type Language } from '@krapao/contract/languages';
import { CURRENCY_SIGNS, type Currency, type Minor, toDecimal } from '@krapao/contract/money';
import { Counter, type Registry } from 'prom-client';
import type { PushOutcome, PushService } from '../../adapters/push.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { memberKey } from '../../platform/jobs/partitions.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { backoffMs } from '../../platform/jobs/resolver.ts';
import { phrase } from '../../platform/phrases.ts';
import { type Notice, type NotificationDeps, targetOf } from './notification.ts';
import {
  claimDuePush,
  deleteMessage,
  deleteIfSessionEnded,
  endSubscription,
  saveSilence,
  MEMBER_CONCURRENCY,
  postponeMessage,
  pushWork,
  type QueuedPush,
} from './push-queries.ts';

/** Messages of one lane that one process sends concurrently. */
const CONCURRENCY = 16;
/** Added to the timeouts of two calls, for storing the outcome. */
const LEASE_MARGIN_MS = 10_000;
/** Marks the JSON of Declarative Web Push, which Safari shows without a service worker. */
const DECLARATIVE_MARK = 8030;

type SendDeps = Pick<NotificationDeps, 'database' | 'clock' | 'log' | 'metrics'> & { push: PushService };

/** Sends due messages in the background. Each is claimed by one process; a second sending replaces the first. */
export function startSending(deps: SendDeps): Job {
  const { database, clock, push, log, metrics } = deps;
  const count = countOutcomes(metrics);
  const leaseMs = 2 * push.patienceMs + LEASE_MARGIN_MS;
  return startPollingWorker({
    name: 'send push messages',
    concurrency: CONCURRENCY,
    claim: (share, inProgress) => claimDuePush(database, share, leaseMs, { inProgress, now: clock.now() }),
    // A browser that is no longer silent: its messages change their lane.
    mayCreateDue: ({ wasSilent }) => wasSilent,
    partitionsOf: ({ lane }) => [lane],
    memberLimitOf: ({ memberId }) => ({ key: memberKey(memberId), concurrency: MEMBER_CONCURRENCY }),
    handle: (queued) => sendQueued({ ...deps, count }, queued),
    failed: failedWork(database, pushWork),
    keyOf: ({ id }) => id,
    log,
    failureMessage: 'push delivery failed',
    logFields: ({ subscriptionId }) => ({ subscriptionId }),
  });
}

async function sendQueued(deps: SendDeps & { count: CountOutcome }, queued: QueuedPush): Promise<void> {
  const { database, clock, count } = deps;
  const { subscriptionId, leftMs, isLast, isSessionLive } = queued;
  if ((!isSessionLive && !isLast) || leftMs <= 0) return finishMessage(deps, queued);
  const result = await send(deps, queued);
  switch (result.outcome) {
    case 'sent':
      count(queued, 'sent');
      await finishMessage(deps, queued);
      if (queued.wasSilent) await saveSilence(database, subscriptionId, false);
      return;
    case 'gone':
      if (await database.tx((tx) => endSubscription(tx, subscriptionId, clock.now()))) return count(queued, 'ended');
      count(queued, 'kept');
      if (queued.tries === 1) deps.log.warn(describe(queued, result), 'many push subscriptions end: the rest is kept');
      return postpone(deps, queued, 0);
    case 'later':
      count(queued, result.isRefusal ? 'refused' : 'later');
      if (result.isRefusal) warnRefused(deps, queued, result);
      return postpone(deps, queued, result.inMs);
    case 'too_large':
      count(queued, 'too_large');
      warnRefused(deps, queued, result);
      return finishMessage(deps, queued);
  }
}

const describe = ({ subscriptionId, lane }: QueuedPush, result: object): object => ({
  subscriptionId,
  service: serviceOf(lane),
  ...result,
});

/** Logs the first try of a message: a fault of the sender repeats with every try of every message. */
function warnRefused({ log }: SendDeps, queued: QueuedPush, result: object): void {
  if (queued.tries === 1) log.warn(describe(queued, result), 'push service refused a message');
}

/** Repeats a message while it is worth sending. Its browser counts as silent. */
async function postpone(deps: SendDeps, queued: QueuedPush, leastMs: number): Promise<void> {
  const inMs = Math.max(leastMs, backoffMs(queued.tries));
  await saveSilence(deps.database, queued.subscriptionId, true);
  return inMs < queued.leftMs ? postponeMessage(deps.database, queued.id, inMs) : finishMessage(deps, queued);
}

/** Push service of a lane. */
const serviceOf = (lane: string): string => lane.replace(/!silent$/, '');

type Outcome = 'sent' | 'ended' | 'kept' | 'refused' | 'later' | 'too_large';
type CountOutcome = (queued: QueuedPush, outcome: Outcome) => void;

function countOutcomes(registry: Registry): CountOutcome {
  const counter = new Counter({
    name: 'krapao_push_messages_total',
    help: 'Tries of push messages by push service: sent, ended and kept subscriptions, refused, later, too_large',
    labelNames: ['service', 'outcome'],
    registers: [registry],
  });
  return ({ lane }, outcome) => counter.inc({ service: serviceOf(lane), outcome });
}

/** Deletes a message, and after the last one of an ended session its subscription. */
async function finishMessage(
  { database, clock }: SendDeps,
  { id, subscriptionId, ...queued }: QueuedPush,
): Promise<void> {
  await deleteMessage(database, id);
  if (!queued.isSessionLive) await deleteIfSessionEnded(database, subscriptionId, clock.now());
}

async function send({ push }: SendDeps, queued: QueuedPush): Promise<PushOutcome> {
  const { endpoint, p256dh, auth, kind, leftMs } = queued;
  const message = {
    endpoint,
    keys: { p256dh, auth },
    topic: tagOf(queued),
    ttlMs: leftMs,
    isUrgent: kind !== 'support',
  };
  const outcome = await push.send({ ...message, text: formatPush(queued, queued) });
  return outcome.outcome === 'too_large' ? push.send({ ...message, text: undefined }) : outcome;
}

type Reported = Pick<Notice, 'kind' | 'reference' | 'facts'> & { bonus?: Minor | null };

/** Names what a message shows: a later message replaces it. All replies of support share one. */
const tagOf = ({ kind, reference }: Reported): string => (kind === 'support' ? kind : `${kind}:${reference}`);

/** What the browser shows: no name, and an amount only where the member asked for it. */
export function formatPush(
  notice: Reported,
  { language, withAmounts }: { language: Language; withAmounts: boolean },
): string {
  const { amount, currency = 'BAHT' } = notice.facts;
  const key = `message.${phraseKeyOf(notice)}`;
  const bonus = notice.bonus ?? undefined;
  const body =
    withAmounts && amount !== undefined
      ? phrase(language, 'push', `${key}.${bonus === undefined ? 'amountBody' : 'amountWithBonus'}`, {
          amount: formatAmount(BigInt(amount), currency),
          ...(bonus !== undefined && { bonus: formatAmount(bonus, currency) }),
        })
      : phrase(language, 'push', `${key}.${bonus === undefined ? 'body' : 'withBonus'}`);
  return JSON.stringify({
    web_push: DECLARATIVE_MARK,
    notification: {
      title: phrase(language, 'push', `${key}.title`),
      body,
      lang: htmlLang[language],
      dir: 'ltr',
      tag: tagOf(notice),
      // A repeated sending of one message replaces it without a sound; another reply of support alerts again.
      ...(notice.kind === 'support' && { renotify: true }),
      navigate: targetOf(notice),
      silent: false,
    },
  });
}

function phraseKeyOf({ kind, facts }: Reported): string {
  switch (kind) {
    case 'money-in':
      return 'moneyIn';
    case 'paid-out':
      return 'paidOut';
    case 'refused':
      return facts.subject === 'slip' ? 'slipRefused' : 'refused';
    case 'support':
      return 'support';
    case 'security':
      return SECURITY_PHRASES[facts.subject ?? ''] ?? 'securityChanged';
    // Of a newer program.
    default:
      return 'other';
  }
}

const SECURITY_PHRASES: Readonly<Record<string, string>> = {
  password: 'passwordChanged',
  bankAccount: 'bankAccountChanged',
  phone: 'phoneChanged',
  accountClosed: 'accountClosed',
  accountOpened: 'accountOpened',
  walletClosed: 'walletClosed',
  walletOpened: 'walletOpened',
};

/** ฿1,234.50 */
function formatAmount(units: bigint, currency: Currency): string {
  const [whole = '', fraction = ''] = toDecimal(units).split('.');
  return `${CURRENCY_SIGNS[currency]}${BigInt(whole).toLocaleString('en-US')}.${fraction}`;
}
