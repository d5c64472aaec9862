import * as endpoints from '@krapao/contract/endpoints/deposit/bank-transfer';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import type { FeedPusher } from '../../../adapters/feed/port.ts';
import { Refusal } from '../../../platform/errors.ts';
import { route } from '../../../platform/http/route.ts';
import { coalesce } from '../../../platform/jobs/concurrency.ts';
import { findAnnouncementByReference } from './announcement-queries.ts';
import type { BankTransferDeps } from './bank-transfer.ts';
import { type AnnouncementDeps, openAnnouncement } from './open-announcement.ts';
import { requestRead } from './queries.ts';

/** Endpoints of members' announcements. */
export function bankTransferRoutes(app: FastifyInstance, deps: AnnouncementDeps): void {
  route(app, endpoints.addDeposit, async ({ body, member, idempotencyKey }) => {
    const announcement = await openAnnouncement(deps, member, body, idempotencyKey);
    return {
      status: 200,
      body: {
        reference: announcement.reference,
        status: 'PROCESSING',
        amount: toWire(announcement.amount),
        payAmount: toWire(announcement.payAmount),
        expireIn: announcement.expiresAt.toISOString(),
        bonusCode: announcement.bonusCode,
      },
    };
  });
  route(app, endpoints.getDepositAnnouncement, async ({ params, member }) => {
    const announcement = await findAnnouncementByReference(deps.database, params.reference);
    if (!announcement) throw new Refusal('NO_DATA');
    if (announcement.memberId !== member.id) throw new Refusal('INVALID_USER_3');
    return {
      status: 200,
      body: {
        reference: announcement.reference,
        state: announcement.state,
        isLate: announcement.isLate,
        amount: toWire(announcement.amount),
        payAmount: toWire(announcement.payAmount),
        expireIn: announcement.expiresAt.toISOString(),
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
 * Webhooks of banks and of the wallet app: `POST /api/callback/{path}`. A push only triggers a read of the feed.
 * @throws {Refusal} KEY_MISSING, KEY_INVALID, NO_DATA (malformed body)
 */
export function bankTransferWebhooks(app: FastifyInstance, deps: WebhookDeps): void {
  // Concurrent pushes of one feed share a commit; other feeds do not wait for it.
  const readRequestsByFeed = new Map<string, () => Promise<unknown>>();
  const requestFeedRead = (feed: string): Promise<unknown> => {
    const requestOnce = readRequestsByFeed.get(feed) ?? coalesceReadRequests(deps, feed);
    readRequestsByFeed.set(feed, requestOnce);
    return requestOnce();
  };
  void app.register(async (scope) => {
    // Signatures cover the raw bytes.
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
          await requestFeedRead(push.feed);
          deps.wakePolls();
        }
        return pusher.reply;
      });
    }
  });
}

function coalesceReadRequests({ database }: Pick<WebhookDeps, 'database'>, feed: string): () => Promise<unknown> {
  const requestOnce = coalesce(
    async () => {
      await requestRead(database, feed);
      return new Map<string, true>();
    },
    (name: string) => name,
  );
  return () => requestOnce(feed);
}
