import {
  type listNotices,
  type NoticeKind,
  type NoticeSubject,
  noticeSubjects,
} from '@krapao/contract/endpoints/notification';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import type { PushService } from '../../adapters/push.ts';
import type { SmsSender } from '../../adapters/sms.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Variant } from '../../platform/config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { JobLog } from '../../platform/jobs/job.ts';
import type { Clock } from '../../platform/time.ts';
import { wireAmount } from '../../platform/timeline.ts';
import type { OperatorData } from '../operator-data/index.ts';

/** An event that a member is notified of. The same event has the same kind and reference. */
export type Notice = { memberId: string; kind: NoticeKind; reference: string; at: Date; facts: StoredFacts };

/** `amount`: minor units as text. */
export type StoredFacts = { amount?: string; currency?: Currency; subject?: NoticeSubject; reason?: string };

export type StoredNotice = Omit<Notice, 'memberId'> & {
  id: bigint;
  isRead: boolean;
  /** Received on the reported deposit. */
  bonus: Minor | null;
};

export type NotificationDeps = {
  app: FastifyInstance;
  database: Database;
  clock: Clock;
  ledger: Pick<Ledger, 'lastBatches' | 'cashOutcomesAfter'>;
  /** Undefined: the installation has no key for push messages. */
  push: PushService | undefined;
  /** Undefined: the outside file has no SMS gateway. */
  sms: SmsSender | undefined;
  variant: Variant;
  readOperatorData: () => Promise<OperatorData>;
  metrics: Registry;
  log: JobLog;
};

const HOUR_MS = 60 * 60_000;
const MONEY_TTL_MS = 24 * HOUR_MS;
const OTHER_TTL_MS = 4 * HOUR_MS;
const MONEY_KINDS: readonly NoticeKind[] = ['money-in', 'paid-out', 'refused'];

/** How long a push message waits for its browser. */
export const ttlMs = (kind: NoticeKind): number => (MONEY_KINDS.includes(kind) ? MONEY_TTL_MS : OTHER_TTL_MS);

/** Address in the app that shows what a notice reports. */
export function targetOf({ kind, reference }: Pick<Notice, 'kind' | 'reference'>): string {
  if (kind === 'support') return '/user/home#chat';
  if (MONEY_KINDS.includes(kind)) return `/user/home#money=${reference}`;
  return kind === 'security' ? '/user/profile' : '/user/home';
}

type WireNotice = z.input<(typeof listNotices.replies)[200]>['notices'][number];

/** A subject of a newer program is left out: the reply would be invalid. */
export function toWireNotice(notice: StoredNotice): WireNotice {
  const { amount, subject, ...facts } = notice.facts;
  return {
    id: String(notice.id),
    kind: notice.kind,
    at: notice.at.toISOString(),
    reference: notice.reference,
    facts: {
      ...facts,
      ...(subject !== undefined && noticeSubjects.includes(subject) && { subject }),
      ...(amount !== undefined && { amount: wireAmount(amount) }),
      ...(notice.bonus !== null && { bonus: toWire(notice.bonus) }),
    },
    isRead: notice.isRead,
    target: targetOf(notice),
  };
}
