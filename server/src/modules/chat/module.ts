import type { ImageFormat } from '@krapao/contract/input/image';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { callerOf } from '../../platform/http/caller/caller-address.ts';
import { type Job, startJob } from '../../platform/jobs/job.ts';
import { limitPictureDecoders } from '../../platform/storage/picture-decoders.ts';
import type { Rooms } from '../../platform/socket/rooms.ts';
import { createWorkerPool } from '../../platform/jobs/worker-pool.ts';
import { backendWebhook } from './backend/backend-webhook.ts';
import type { ChatDeps } from './chat-deps.ts';
import type { Redrawn } from './drawing/redraw-image.ts';
import { fileRoutes } from './file/file-routes.ts';
import { chatKeeper } from './keep-rooms.ts';
import { hearMessages, type MessageFeed } from './message-feed.ts';
import { measureUnforwarded } from './operate/operate-chat.ts';
import { chatRoutes } from './routes.ts';
import { sweepFiles } from './file/upload-file.ts';
import { deliverToRooms } from './deliver-to-rooms.ts';
import { startForwarding } from './backend/forward-to-backend.ts';
import { authenticateVisitor } from './visitor.ts';
import { deleteSilent } from './queries.ts';

export { chatQueue } from './operate/operator-queries.ts';

export { readAnswer, type StoredMessage } from './chat.ts';
export { type ConversationOnList, replyAs, showConversation, waitingConversations } from './operate/operate-chat.ts';
export { thumbnailLines } from './operate/thumbnail.ts';

export type ChatModule = {
  /** Starts what runs by itself. Once, when the database is there. */
  start(): void;
  stop(): Promise<void>;
};

export type ChatModuleDeps = Omit<ChatDeps, 'drawer'> & { rooms: Pick<Rooms, 'keep'>; metrics: Registry };

/** An image takes one of them for half a minute at the most; no more wait than may be uploaded at once. */
const DRAWER = {
  program: new URL('./drawing/redraw-worker.ts', import.meta.url),
  size: 2,
  queueMax: 6,
  timeoutMs: 45_000,
  heapMb: 128,
};
const SWEEP_EVERY_MS = 60 * 60_000;
/** Visitors who have written nothing are forgotten after so many days. */
const SILENT_DAYS = 30;

/** The talk of customers with support. Tells the HTTP server who a visitor is. */
export function chatModule(app: FastifyInstance, { rooms: keepers, metrics, ...given }: ChatModuleDeps): ChatModule {
  const { database, log } = given;
  const jobs: Job[] = [];
  limitPictureDecoders();
  const drawer = createWorkerPool<{ file: Uint8Array; type: ImageFormat }, Redrawn>(DRAWER);
  const deps: ChatDeps = { ...given, drawer };
  let feed: MessageFeed | undefined;
  const rooms = keepers.keep(chatKeeper(deps, async () => (await feed?.isReceiving()) ?? false));
  app.authenticateVisitor = (pass, request) => authenticateVisitor(deps, pass, callerOf(request));
  chatRoutes(app, deps);
  fileRoutes(app, deps);
  const { backend } = deps;
  if (backend) backendWebhook(app, deps, backend);
  if (backend) measureUnforwarded(metrics, database);
  return {
    start: () => {
      feed = hearMessages({
        database,
        onMessage: deliverToRooms(deps, rooms),
        onLost: () => rooms.dropAll(),
        onTrouble: (error) => log.error({ err: error }, 'notifications of chat messages are not received'),
      });
      const run = () => deleteSilent(database, SILENT_DAYS);
      const sweep = (signal: AbortSignal) => sweepFiles(deps, signal);
      jobs.push(
        startJob({ name: 'sweep visitors', everyMs: SWEEP_EVERY_MS, run, log }),
        startJob({ name: 'sweep files of the chat', everyMs: SWEEP_EVERY_MS, run: sweep, log }),
      );
      if (backend) jobs.push(startForwarding(deps, backend));
    },
    stop: async () => {
      await feed?.stop();
      await Promise.all(jobs.splice(0).map((job) => job.stop()));
      await drawer.close();
    },
  };
}
