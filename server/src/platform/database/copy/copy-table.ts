import type { Socket } from 'node:net';
import type pg from 'pg';

/** What the driver has below its types, and COPY needs. */
type Wire = {
  stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  sendCopyFail(reason: string): void;
  endCopyFrom(): void;
};

/** Bytes that wait for the target before the source is paused. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Streams a table from one server to another by COPY, in text, which every version of PostgreSQL reads.
 * @param columns names as SQL
 * @throws the error of the server that refused; neither connection is usable then
 */
export async function copyTable(source: pg.Client, target: pg.Client, table: string, columns: string[]): Promise<void> {
  const list = columns.join(', ');
  const sink = new CopyIn(`copy ${table} (${list}) from stdin`);
  target.query(sink);
  const open = await sink.opened;
  const reader = new CopyOut(`copy ${table} (${list}) to stdout`, open);
  source.query(reader);
  try {
    await Promise.race([reader.done, sink.done.then(() => reader.done)]);
  } catch (error) {
    open.sendCopyFail('the source has failed');
    throw error;
  }
  open.endCopyFrom();
  await sink.done;
}

/** Parts of a query that nothing here uses. */
abstract class CopyQuery implements pg.Submittable {
  readonly #outcome = Promise.withResolvers<void>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    // Awaited later than it may fail.
    this.#outcome.promise.catch(() => {});
  }

  get done(): Promise<void> {
    return this.#outcome.promise;
  }

  submit(connection: unknown): void {
    (connection as Wire).query(this.#text);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  handleError(error: Error): void {
    this.#outcome.reject(error);
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve();
  }
}

class CopyIn extends CopyQuery {
  readonly #opened = Promise.withResolvers<Wire>();

  get opened(): Promise<Wire> {
    return this.#opened.promise;
  }

  handleCopyInResponse(connection: unknown): void {
    this.#opened.resolve(connection as Wire);
  }

  override handleError(error: Error): void {
    this.#opened.reject(error);
    super.handleError(error);
  }
}

class CopyOut extends CopyQuery {
  readonly #target: Wire;

  constructor(text: string, target: Wire) {
    super(text);
    this.#target = target;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: unknown): void {
    const from = (connection as Wire).stream;
    const to = this.#target.stream;
    this.#target.sendCopyFromChunk(chunk);
    if (to.writableLength < WAITING_BYTES_MAX || from.isPaused()) return;
    from.pause();
    to.once('drain', () => from.resume());
  }
}

/** Ends a connection at once, whatever it does. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: Wire }).connection.stream.destroy();
}
