import { createHash } from 'node:crypto';
import { sleep } from './time.ts';
import { Refusal } from './errors.ts';

/** What a command leaves behind, found by its key. */
export type StoredCommand<Row> = { row: Row; requestHash: Buffer };
/** `isNew`: this call made the row and carries the command out; otherwise another request does, or did. */
export type OpenedCommand<Row> = { row: Row; isNew: boolean };

export type IdempotentCommand<Row, Answer> = {
  /** Under one key the same request happens once. Undefined: each call is a command of its own. */
  key: string | undefined;
  requestHash: Buffer;
  /** `open` finds a known key itself: it is looked up only when `open` returns undefined or refuses. */
  findsOnOpening?: boolean;
  find: (key: string) => Promise<StoredCommand<Row> | undefined>;
  /**
   * Checks the request and commits its row together with its key. A refusal keeps nothing, so the key stays free.
   * Undefined: another request committed first; the key is looked up and the command opened again.
   */
  open: () => Promise<OpenedCommand<Row> | undefined>;
  /** What follows the commit, the calls to the outside included. Only for a row that this call made. */
  carryOut?: (row: Row) => Promise<Row>;
  /** Whether a row can be answered yet: until then it is read again, for {@link PATIENCE_MS} at most. */
  isAnswerable?: (row: Row) => boolean;
  reread?: (row: Row) => Promise<Row>;
  /** The reply for the current row, the same for the first request and each replay. Throws its refusals. */
  answer: (row: Row) => Answer | Promise<Answer>;
  /** Refusal when other requests commit first each time. */
  busy: () => Refusal;
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
    const known = attempt === 0 && command.findsOnOpening ? undefined : await findKnown(command);
    const opened = known === undefined ? await openOrReplay(command) : { row: known, isNew: false };
    if (!opened) continue;
    const { row, isNew } = opened;
    const carriedOut = isNew && command.carryOut ? await command.carryOut(row) : row;
    return command.answer(await untilAnswerable(command, carriedOut));
  }
  throw command.busy();
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

// A request with the same key may have committed since the first look, and be the reason for the refusal.
async function openOrReplay<Row>(command: IdempotentCommand<Row, unknown>): Promise<OpenedCommand<Row> | undefined> {
  try {
    return await command.open();
  } catch (error) {
    const twin = error instanceof Refusal ? await findKnown(command) : undefined;
    if (twin === undefined) throw error;
    return { row: twin, isNew: false };
  }
}

async function untilAnswerable<Row>(
  { isAnswerable, reread }: IdempotentCommand<Row, unknown>,
  found: Row,
): Promise<Row> {
  let row = found;
  if (!isAnswerable || !reread) return row;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !isAnswerable(row); waitedMs += POLL_MS) {
    await sleep(POLL_MS);
    row = await reread(row);
  }
  return row;
}
