import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { UserError } from '../errors.ts';
import { explainDatabaseFailure } from '../start/startup-errors.ts';

/** A file of a base backup, with its SHA-256 in hexadecimal. */
export type BackupFile = { name: string; sha256: string };

/** First byte of each message of the stream (PostgreSQL, streaming replication protocol). */
const NEW_ARCHIVE_MESSAGE = 'n';
const DATA_MESSAGE = 'd';
const MANIFEST_MESSAGE = 'm';
const MAIN_ARCHIVE = 'base.tar';
const PERMISSION_DENIED = '42501';

/**
 * Copies a running PostgreSQL into a folder through the replication protocol: the data directory as `base.tar`, the WAL
 * that makes it consistent, and PostgreSQL's manifest.
 * @throws {UserError} the server is unreachable or doesn't let this user replicate
 */
export async function takeBaseBackup(url: string, folder: string): Promise<BackupFile[]> {
  const client = new pg.Client({ connectionString: url, replication: 'true' } as pg.ClientConfig);
  client.on('error', () => {});
  const stream = new BackupStream(folder);
  try {
    await client.connect();
    client.query(stream);
    return await stream.done;
  } catch (error) {
    if ((error as { code?: string }).code === PERMISSION_DENIED) {
      throw new UserError('The user of DATABASE_URL may not replicate: alter role … replication.', { cause: error });
    }
    // A local file that can't be written is not a failure of the database.
    if ((error as NodeJS.ErrnoException).path?.startsWith(folder)) throw error;
    const explanation = explainDatabaseFailure(error);
    throw explanation ? new UserError(explanation, { cause: error }) : error;
  } finally {
    stream.close();
    await client.end();
  }
}

type DriverConnection = { query(text: string): void };

/**
 * Callbacks of the driver while the reply to BASE_BACKUP arrives. Writes are synchronous, so the disk limits the rate.
 */
class BackupStream implements pg.Submittable {
  readonly #folder: string;
  readonly #outcome = Promise.withResolvers<BackupFile[]>();
  readonly #files: BackupFile[] = [];
  #open: { name: string; descriptor: number; hash: Hash } | undefined;
  #failure: Error | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get done(): Promise<BackupFile[]> {
    return this.#outcome.promise;
  }

  submit(connection: unknown): void {
    // WAIT false: the copy contains its own WAL, and a backup must succeed even when archiving fails.
    (connection as DriverConnection).query(
      `BASE_BACKUP (LABEL 'krapao', CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'yes')`,
    );
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#failure) return;
    try {
      this.#take(chunk.toString('latin1', 0, 1), chunk);
    } catch (error) {
      // Reads and drops the rest of the stream, so that the connection can end.
      this.#failure = error as Error;
    }
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
    try {
      this.close();
    } catch (error) {
      this.#failure ??= error as Error;
    }
    if (this.#failure) this.#outcome.reject(this.#failure);
    else this.#outcome.resolve(this.#files);
  }

  /** Closes the current file. */
  close(): void {
    const openFile = this.#open;
    if (!openFile) return;
    this.#open = undefined;
    fsyncSync(openFile.descriptor);
    closeSync(openFile.descriptor);
    this.#files.push({ name: openFile.name, sha256: openFile.hash.digest('hex') });
  }

  #take(messageType: string, chunk: Buffer): void {
    if (messageType === NEW_ARCHIVE_MESSAGE) this.#begin(chunk.toString('utf8', 1, chunk.indexOf(0, 1)));
    else if (messageType === MANIFEST_MESSAGE) this.#begin('backup_manifest');
    else if (messageType === DATA_MESSAGE && this.#open) {
      const data = chunk.subarray(1);
      this.#open.hash.update(data);
      for (let writtenBytes = 0; writtenBytes < data.length;) {
        writtenBytes += writeSync(this.#open.descriptor, data, writtenBytes);
      }
    }
  }

  #begin(name: string): void {
    this.close();
    if (name !== MAIN_ARCHIVE && name !== 'backup_manifest') {
      throw new UserError(`This server has a tablespace (${name}): back it up with its own tools (pg_basebackup).`);
    }
    this.#open = { name, descriptor: openSync(join(this.#folder, name), 'wx', 0o600), hash: createHash('sha256') };
  }
}
