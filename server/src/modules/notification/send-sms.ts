import type { SmsOutcome } from '../../adapters/sms.ts';
import { firstLanguage } from '../../platform/http/caller.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { backoffMs } from '../../platform/jobs/resolver.ts';
import type { NotificationDeps } from './notification.ts';
import { formatSecuritySms } from './security-sms.ts';
import { claimDueSms, giveUpSms, markSmsSent, postponeSms, type QueuedSms, smsWork } from './sms-queries.ts';

/** Messages to one country that one process sends concurrently. One-time codes share the gateway and don't wait. */
const CONCURRENCY = 2;
/** Longer than the longest timeout of the gateway. */
const LEASE_MS = 70_000;

type SendDeps = Pick<NotificationDeps, 'database' | 'sms' | 'variant' | 'readOperatorData' | 'log'>;

/** Sends due text messages in the background. Each is claimed by one process and has the same key in every try. */
export function startSendingSms(deps: SendDeps): Job {
  const { database, readOperatorData, log } = deps;
  return startPollingWorker({
    name: 'send text messages',
    concurrency: CONCURRENCY,
    claim: async (share, inProgress) => {
      const limit = (await readOperatorData()).limit('security-sms.all');
      return claimDueSms(database, share, LEASE_MS, { inProgress, limit });
    },
    partitionsOf: ({ lane }) => [lane],
    handle: (queued) => sendQueued(deps, queued),
    failed: failedWork(database, smsWork),
    keyOf: ({ id }) => id,
    log,
    failureMessage: 'security SMS failed',
    logFields: ({ id }) => ({ messageId: id }),
  });
}

async function sendQueued(deps: SendDeps, queued: QueuedSms): Promise<void> {
  const { database, log } = deps;
  const { id, tries, leftMs } = queued;
  const outcome: SmsOutcome =
    leftMs > 0 ? await send(deps, queued) : { sent: false, reason: 'not sent within 24 hours', isFinal: true };
  if (outcome.sent) return markSmsSent(database, id);
  const { reason, isFinal } = outcome;
  if (!isFinal) return postponeSms(database, id, backoffMs(tries), reason);
  log.warn({ messageId: id, reason }, 'security SMS given up');
  return giveUpSms(database, id, reason);
}

async function send({ sms, variant, readOperatorData }: SendDeps, queued: QueuedSms): Promise<SmsOutcome> {
  const operatorData = await readOperatorData();
  if (!sms) return { sent: false, reason: 'the outside file has no sms', isFinal: true };
  // A phone without proof may be another person's.
  if (!operatorData.setting('registerOTP')) return { sent: false, reason: 'phones are not proved', isFinal: true };
  const { id, phone, subject, language, createdAt } = queued;
  const text = formatSecuritySms(subject, language ?? firstLanguage(variant), {
    siteName: operatorData.setting('info').name,
    at: createdAt,
  });
  return sms.send(phone, text, id);
}
