import type { ImageFormat } from '@krapao/contract/input/image';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ObjectStorage } from '../../platform/storage/port.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { WorkerPool } from '../../platform/jobs/worker-pool.ts';
import type { ChatBackend } from '../../counterparties/chat-backend/port.ts';
import type { AccountModule } from '../account/module.ts';
import type { OperatorData } from '../lookup/module.ts';
import type { Redrawn } from './drawing/redraw-image.ts';

/** What the use cases of `chat` work with. */
export type ChatDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  secretBox: SecretBox;
  /** Where files of customers are kept. */
  storage: ObjectStorage;
  /** Re-encodes images. */
  drawer: Pick<WorkerPool<{ file: Uint8Array; type: ImageFormat }, Redrawn>, 'run'>;
  operatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'memberById'>;
  /** Where people of support answer, when there is such a place; without it operators answer by command. */
  backend: ChatBackend | undefined;
  /** Where this system is reached from outside. */
  publicUrl: string;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
};
