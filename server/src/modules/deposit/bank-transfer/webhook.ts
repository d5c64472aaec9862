import type { FastifyInstance } from 'fastify';
import { coalesce } from '../../../platform/jobs/coalesce.ts';
import { Refusal } from '../../../platform/refusal.ts';
import type { FeedPusher } from '../../../counterparties/feed/port.ts';
import type { BankTransferDeps } from './bank-transfer-deps.ts';
import { wakeFeed } from './feed-queries.ts';

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
      await wakeFeed(database, feed);
      return new Map<string, true>();
    },
    (name: string) => name,
  );
  return () => wake(feed);
}
