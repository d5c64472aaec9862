import type { ImageFormat } from '@krapao/contract/input/image';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { type Job, startPeriodicJob } from '../../platform/jobs/job.ts';
import { restrictImageDecoders } from '../../platform/storage/image-decoders.ts';
import type { Rooms } from '../../platform/socket/rooms.ts';
import { createWorkerPool } from '../../platform/jobs/worker-pool.ts';
import { backendWebhook, startForwarding } from './backend.ts';
import type { ChatDeps } from './chat.ts';
import type { ReencodedImage } from './redraw-image.ts';
import { fileRoutes } from './file-http.ts';
import { chatRoomHandler } from './rooms.ts';
import { subscribeMessages, type MessageFeed, deliverMessages } from './message-feed.ts';
import { measureUnforwarded } from './admin.ts';
import { chatRoutes } from './http.ts';
import { sweepFiles } from './upload-file.ts';
import { authenticateVisitor } from './visitor.ts';
import { deleteInactiveVisitors } from './queries.ts';

export { chatQueue } from './support-queries.ts';

export { parseReply, type StoredMessage } from './chat.ts';
export {
  type ConversationOnList,
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

export type ChatModuleDeps = Omit<ChatDeps, 'drawer'> & { rooms: Pick<Rooms, 'register'>; metrics: Registry };

/** Up to 30 s per image; the queue holds as many images as can be uploaded concurrently. */
const DRAWER = {
  program: new URL('./redraw-worker.ts', import.meta.url),
  size: 2,
  queueMax: 6,
  timeoutMs: 45_000,
  heapMb: 128,
};
const SWEEP_EVERY_MS = 60 * 60_000;
/** Visitors without messages are deleted after this many days. */
const SILENT_DAYS = 30;

/** Chat of customers with support. Authenticates visitors for the HTTP server. */
export function chatModule(app: FastifyInstance, { rooms: keepers, metrics, ...options }: ChatModuleDeps): ChatModule {
  const { database, log } = options;
  const jobs: Job[] = [];
  restrictImageDecoders();
  const drawer = createWorkerPool<{ file: Uint8Array; type: ImageFormat }, ReencodedImage>(DRAWER);
  const deps: ChatDeps = { ...options, drawer };
  let feed: MessageFeed | undefined;
  const rooms = keepers.register(chatRoomHandler(deps, async () => (await feed?.isReceiving()) ?? false));
  app.authenticateVisitor = (pass, request) => authenticateVisitor(deps, pass, callerAddress(request));
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
        onTrouble: (error) => log.error({ err: error }, 'notifications of chat messages are not received'),
      });
      const run = () => deleteInactiveVisitors(database, SILENT_DAYS);
      const sweep = (signal: AbortSignal) => sweepFiles(deps, signal);
      jobs.push(
        startPeriodicJob({ name: 'sweep visitors', everyMs: SWEEP_EVERY_MS, run, log }),
        startPeriodicJob({ name: 'sweep files of the chat', everyMs: SWEEP_EVERY_MS, run: sweep, log }),
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
