import type { ImageFormat } from '@krapao/contract/input/image';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { type Job, startPeriodicJob } from '../../platform/jobs/job.ts';
import { createWorkerPool } from '../../platform/jobs/worker-pool.ts';
import type { Rooms } from '../../platform/socket/rooms.ts';
import { restrictImageDecoders } from '../../platform/storage/image-decoders.ts';
import { measureUnforwarded } from './admin.ts';
import { backendWebhook, startForwarding } from './backend.ts';
import type { ChatDeps } from './chat.ts';
import { fileRoutes } from './file-http.ts';
import { chatRoutes } from './http.ts';
import { subscribeMessages, type MessageFeed, deliverMessages } from './message-feed.ts';
import { deleteInactiveVisitors } from './queries.ts';
import type { ReencodedImage } from './reencode-image.ts';
import { chatRoomHandler } from './rooms.ts';
import { sweepFiles } from './upload-file.ts';
import { authenticateVisitor } from './visitor.ts';

export { chatQueue } from './support-queries.ts';

export { type CustomerRef, parseReply, type StoredMessage } from './chat.ts';
export { findMovementOf, type Movement } from './movement.ts';
export {
  type ListedConversation,
  replyAsOperator,
  readConversation,
  waitingConversations,
  thumbnailLines,
} from './admin.ts';

export type ChatModule = {
  /** Starts the background jobs. Call once, when the database is ready. */
  start(): void;
  stop(): Promise<void>;
};

export type ChatModuleDeps = Omit<ChatDeps, 'imagePool'> & { rooms: Pick<Rooms, 'register'>; metrics: Registry };

/** Up to 30 s per image; the queue holds as many images as can be uploaded concurrently. */
const IMAGE_POOL_OPTIONS = {
  program: new URL('./reencode-worker.ts', import.meta.url),
  size: 2,
  queueMax: 6,
  timeoutMs: 45_000,
  heapMb: 128,
};
const SWEEP_INTERVAL_MS = 60 * 60_000;
/** Visitors without messages are deleted after this many days. */
const INACTIVE_VISITOR_DAYS = 30;

/** Chat of customers with support. Authenticates visitors for the HTTP server. */
export function chatModule(
  app: FastifyInstance,
  { rooms: roomRegistry, metrics, ...otherDeps }: ChatModuleDeps,
): ChatModule {
  const { database, log } = otherDeps;
  const jobs: Job[] = [];
  restrictImageDecoders();
  const imagePool = createWorkerPool<{ file: Uint8Array; type: ImageFormat }, ReencodedImage>(IMAGE_POOL_OPTIONS);
  const deps: ChatDeps = { ...otherDeps, imagePool };
  let feed: MessageFeed | undefined;
  const rooms = roomRegistry.register(chatRoomHandler(deps, async () => (await feed?.isReceiving()) ?? false));
  app.authenticateVisitor = (credentials, request) => authenticateVisitor(deps, credentials, callerAddress(request));
  chatRoutes(app, deps);
  fileRoutes(app, deps);
  const { backend } = deps;
  if (backend) backendWebhook(app, deps, backend);
  if (backend) measureUnforwarded(metrics, database);
  return {
    start: () => {
      feed = subscribeMessages({
        database,
        onMessage: deliverMessages(deps, rooms),
        onLost: () => rooms.dropAll(),
        onError: (error) => log.error({ err: error }, 'connection for chat notifications lost'),
      });
      const sweepVisitors = () => deleteInactiveVisitors(database, INACTIVE_VISITOR_DAYS);
      const sweepUnusedFiles = (signal: AbortSignal) => sweepFiles(deps, signal);
      jobs.push(
        startPeriodicJob({ name: 'sweep visitors', everyMs: SWEEP_INTERVAL_MS, run: sweepVisitors, log }),
        startPeriodicJob({ name: 'sweep files of the chat', everyMs: SWEEP_INTERVAL_MS, run: sweepUnusedFiles, log }),
      );
      if (backend) jobs.push(startForwarding(deps, backend));
    },
    stop: async () => {
      await feed?.stop();
      await Promise.all(jobs.splice(0).map((job) => job.stop()));
      await imagePool.close();
    },
  };
}
