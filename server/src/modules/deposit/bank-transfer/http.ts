import * as endpoints from '@krapao/contract/endpoints/deposit/bank-transfer';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { route } from '../../../platform/http/route.ts';
import { Refusal } from '../../../platform/errors.ts';
import { findNoticeByReference } from './announcement-queries.ts';
import { type NoticeDeps, openAnnouncement } from './open-announcement.ts';
import { coalesce } from '../../../platform/jobs/concurrency.ts';
import type { FeedPusher } from '../../../adapters/feed/port.ts';
import type { BankTransferDeps } from './bank-transfer.ts';
import { requestRead } from './queries.ts';

/** The member's calls about transfers to our accounts. */
export function bankTransferRoutes(app: FastifyInstance, deps: NoticeDeps): void {
  route(app, endpoints.addDeposit, async ({ body, member, idempotencyKey }) => {
    const notice = await openAnnouncement(deps, member, body, idempotencyKey);
    return {
      status: 200,
      body: {
        reference: notice.reference,
        status: 'PROCESSING',
        amount: toWire(notice.amount),
        payAmount: toWire(notice.payAmount),
        expireIn: notice.expiresAt.toISOString(),
      },
    };
  });
  route(app, endpoints.getDepositNotice, async ({ params, member }) => {
    const notice = await findNoticeByReference(deps.database, params.reference);
    if (!notice) throw new Refusal('NO_DATA');
    if (notice.memberId !== member.id) throw new Refusal('INVALID_USER_3');
    return {
      status: 200,
      body: {
        reference: notice.reference,
        state: notice.state,
        isLate: notice.isLate,
        amount: toWire(notice.amount),
        payAmount: toWire(notice.payAmount),
        expireIn: notice.expiresAt.toISOString(),
      },
    };
  });
}

const BODY_BYTES_MAX = 16 * 1024;

export type WebhookDeps = Pick<BankTransferDeps, 'database'> & {
  pushers: readonly FeedPusher[];
  wakePolls: () => void;
};

/**
 * Where those who hold our accounts push: `POST /api/callback/{path}`. A push only has the feed read, whatever it claims.
 * Refuses with KEY_MISSING, KEY_INVALID, or NO_DATA for a body that can't be read.
 */
export function bankTransferWebhooks(app: FastifyInstance, deps: WebhookDeps): void {
  // Pushes of a feed that arrive at the same time share a commit; those of another feed don't wait for it.
  const wakes = new Map<string, () => Promise<unknown>>();
  const wake = (feed: string): Promise<unknown> => {
    const known = wakes.get(feed) ?? wakeTogether(deps, feed);
    wakes.set(feed, known);
    return known();
  };
  void app.register(async (scope) => {
    // Raw bytes: the signature covers them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    for (const pusher of deps.pushers) {
      scope.post(`/api/callback/${pusher.path}`, async ({ headers, body }) => {
        const push = await pusher.readPush({ headers, body: Buffer.isBuffer(body) ? body : '' });
        if (push.reading === 'MALFORMED') throw new Refusal('NO_DATA', { detail: 'MALFORMED', status: 400 });
        if (push.reading !== 'PUSH') throw new Refusal(push.reading, { detail: 'CALLBACK' });
        if (push.feed !== undefined) {
          await wake(push.feed);
          deps.wakePolls();
        }
        return pusher.reply;
      });
    }
  });
}

function wakeTogether({ database }: Pick<WebhookDeps, 'database'>, feed: string): () => Promise<unknown> {
  const wake = coalesce(
    async () => {
      await requestRead(database, feed);
      return new Map<string, true>();
    },
    (name: string) => name,
  );
  return () => wake(feed);
}
