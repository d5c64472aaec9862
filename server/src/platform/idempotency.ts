import { createHash } from 'node:crypto';
import { sleep } from './time.ts';
import { Refusal } from './errors.ts';

/** The row of a command, found by its key. */
export type StoredCommand<Row> = { row: Row; requestHash: Buffer };
/** `isNew`: this call created the row and executes the command; otherwise another request does. */
export type OpenedCommand<Row> = { row: Row; isNew: boolean };

export type IdempotentCommand<Row, Answer> = {
  /** Idempotency key. Undefined: each call is a separate command. */
  key: string | undefined;
  requestHash: Buffer;
  /** `open` detects a known key: it is looked up only when `open` returns undefined or refuses. */
  findsWhileOpening?: boolean;
  find: (key: string) => Promise<StoredCommand<Row> | undefined>;
  /**
   * Validates the request and commits its row together with its key. A refusal stores nothing, so the key stays unused.
   * Undefined: another request committed first; the key is looked up and the command opened again.
   */
  open: () => Promise<OpenedCommand<Row> | undefined>;
  /** Runs after the commit, including calls to third parties. Only for a row that this call created. */
  execute?: (row: Row) => Promise<Row>;
  /** Whether the row has its outcome: until then it is reloaded, for {@link PATIENCE_MS} at most. */
  isReplyReady?: (row: Row) => boolean;
  reload?: (row: Row) => Promise<Row>;
  /** The reply for the current row, the same for the first request and each replay. Throws its refusals. */
  toReply: (row: Row) => Answer | Promise<Answer>;
  /** Refusal when other requests commit first in every attempt. */
  busyError: () => Refusal;
};

const ATTEMPTS_MAX = 8;
const PATIENCE_MS = 4_000;
const POLL_MS = 100;

/**
 * Runs an idempotent command: the same key with the same request gets the row of the first one, and waits for its
 * outcome. The only implementation of key, request hash, replay and concurrent requests.
 * @throws KEY_INVALID the key belongs to another request
 */
export async function runIdempotent<Row, Answer>(command: IdempotentCommand<Row, Answer>): Promise<Answer> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const known = attempt === 0 && command.findsWhileOpening ? undefined : await findKnown(command);
    const opened = known === undefined ? await openOrReplay(command) : { row: known, isNew: false };
    if (!opened) continue;
    const { row, isNew } = opened;
    const executed = isNew && command.execute ? await command.execute(row) : row;
    return command.toReply(await untilReplyReady(command, executed));
  }
  throw command.busyError();
}

/** SHA-256 of a request as JSON; the caller leaves out what has no bound. */
export const hashRequest = (request: unknown): Buffer => createHash('sha256').update(JSON.stringify(request)).digest();

async function findKnown<Row>({ key, requestHash, find }: IdempotentCommand<Row, unknown>): Promise<Row | undefined> {
  const known = key === undefined ? undefined : await find(key);
  if (known && !known.requestHash.equals(requestHash)) {
    throw new Refusal('KEY_INVALID', { detail: 'IDEMPOTENCY_KEY_REUSED' });
  }
  return known?.row;
}

// A concurrent request with the same key may have committed and caused the refusal.
async function openOrReplay<Row>(command: IdempotentCommand<Row, unknown>): Promise<OpenedCommand<Row> | undefined> {
  try {
    return await command.open();
  } catch (error) {
    const known = error instanceof Refusal ? await findKnown(command) : undefined;
    if (known === undefined) throw error;
    return { row: known, isNew: false };
  }
}

async function untilReplyReady<Row>(
  { isReplyReady, reload }: IdempotentCommand<Row, unknown>,
  found: Row,
): Promise<Row> {
  let row = found;
  if (!isReplyReady || !reload) return row;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !isReplyReady(row); waitedMs += POLL_MS) {
    await sleep(POLL_MS);
    row = await reload(row);
  }
  return row;
}
