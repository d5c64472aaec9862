import { createHash } from 'node:crypto';
import { Refusal } from './errors.ts';
import { sleep } from './time.ts';

export type StoredCommand<Row> = { row: Row; requestHash: Buffer };
/** `isNew`: this call created the row and executes the command; otherwise another request does. */
export type OpenedCommand<Row> = { row: Row; isNew: boolean };

export type IdempotentCommand<Row, Answer> = {
  /** Idempotency key. Undefined: each call is a separate command. */
  key: string | undefined;
  requestHash: Buffer;
  /** `open` detects a known key, so the key is looked up only when `open` returns undefined or refuses. */
  findsWhileOpening?: boolean;
  find: (key: string) => Promise<StoredCommand<Row> | undefined>;
  /**
   * Validates the request and commits its row together with its key. A refusal stores nothing, so the key stays unused.
   * Undefined: another request committed first; the key is then looked up and the command opened again.
   */
  open: () => Promise<OpenedCommand<Row> | undefined>;
  /** Runs after the commit, including calls to counterparties. Only for a row that this call created. */
  execute?: (row: Row) => Promise<Row>;
  /** Whether the row has its outcome. Until then the row is reloaded, for {@link REPLY_WAIT_MS} at most. */
  isReplyReady?: (row: Row) => boolean;
  reload?: (row: Row) => Promise<Row>;
  /** The reply for the current row, the same for the first request and each replay. Throws its refusals. */
  toReply: (row: Row) => Answer | Promise<Answer>;
  /** Refusal when other requests commit first in every attempt. */
  busyError: () => Refusal;
};

const ATTEMPTS_MAX = 8;
const REPLY_WAIT_MS = 4_000;
const POLL_MS = 100;

/**
 * Runs an idempotent command: the same key with the same request gets the row of the first request, and waits for its
 * outcome. The only implementation of key, request hash, replay and concurrent requests.
 * @throws KEY_INVALID the key belongs to another request
 */
export async function runIdempotent<Row, Answer>(command: IdempotentCommand<Row, Answer>): Promise<Answer> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const replayedRow = attempt === 0 && command.findsWhileOpening ? undefined : await findKnown(command);
    const openedCommand = replayedRow === undefined ? await openOrReplay(command) : { row: replayedRow, isNew: false };
    if (!openedCommand) continue;
    const { row, isNew } = openedCommand;
    const executedRow = isNew && command.execute ? await command.execute(row) : row;
    return command.toReply(await untilReplyReady(command, executedRow));
  }
  throw command.busyError();
}

/** SHA-256 of a request as JSON. The caller omits values of unbounded size. */
export const hashRequest = (request: unknown): Buffer => createHash('sha256').update(JSON.stringify(request)).digest();

async function findKnown<Row>({ key, requestHash, find }: IdempotentCommand<Row, unknown>): Promise<Row | undefined> {
  const storedCommand = key === undefined ? undefined : await find(key);
  if (storedCommand && !storedCommand.requestHash.equals(requestHash)) {
    throw new Refusal('KEY_INVALID', { detail: 'IDEMPOTENCY_KEY_REUSED' });
  }
  return storedCommand?.row;
}

// A concurrent request with the same key may have committed and caused the refusal.
async function openOrReplay<Row>(command: IdempotentCommand<Row, unknown>): Promise<OpenedCommand<Row> | undefined> {
  try {
    return await command.open();
  } catch (error) {
    const storedRow = error instanceof Refusal ? await findKnown(command) : undefined;
    if (storedRow === undefined) throw error;
    return { row: storedRow, isNew: false };
  }
}

async function untilReplyReady<Row>(
  { isReplyReady, reload }: IdempotentCommand<Row, unknown>,
  initialRow: Row,
): Promise<Row> {
  let row = initialRow;
  if (!isReplyReady || !reload) return row;
  for (let waitedMs = 0; waitedMs < REPLY_WAIT_MS && !isReplyReady(row); waitedMs += POLL_MS) {
    await sleep(POLL_MS);
    row = await reload(row);
  }
  return row;
}
