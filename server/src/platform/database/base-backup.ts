import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { UserError } from '../errors.ts';
import { explainDatabaseFailure } from '../start/startup-errors.ts';

/** A file of a base backup, with its SHA-256 in hexadecimal. */
export type BackupFile = { name: string; sha256: string };

/** Letters at the beginning of each piece of the stream: what follows (PostgreSQL, streaming replication protocol). */
const NEW_ARCHIVE = 'n';
const DATA = 'd';
const MANIFEST = 'm';
const MAIN_ARCHIVE = 'base.tar';
const NOT_PERMITTED = '42501';

/**
 * Copies a running PostgreSQL into a folder through the replication protocol: the data directory as `base.tar`, with the
 * WAL that makes it consistent, and PostgreSQL's own manifest.
 * @throws {UserError} when the server is away or doesn't let this user replicate
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
    if ((error as { code?: string }).code === NOT_PERMITTED) {
      throw new UserError('The user of DATABASE_URL may not replicate: alter role … replication.', { cause: error });
    }
    // A file of the backup that can't be written is nothing that the database failed at.
    if ((error as NodeJS.ErrnoException).path?.startsWith(folder)) throw error;
    const sentence = explainDatabaseFailure(error);
    throw sentence ? new UserError(sentence, { cause: error }) : error;
  } finally {
    stream.close();
    await client.end();
  }
}

type Wire = { query(text: string): void };

/** What the driver calls while the answer to BASE_BACKUP arrives. Writes are synchronous: the disk sets the pace. */
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
    // Not waiting for the archive: the copy has its own WAL, and must be possible when archiving is what has failed.
    (connection as Wire).query(`BASE_BACKUP (LABEL 'krapao', CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'yes')`);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#failure) return;
    try {
      this.#take(chunk.toString('latin1', 0, 1), chunk);
    } catch (error) {
      // The rest of the stream is read and dropped, so that the connection can end.
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

  /** Closes the file that is being written. */
  close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    fsyncSync(open.descriptor);
    closeSync(open.descriptor);
    this.#files.push({ name: open.name, sha256: open.hash.digest('hex') });
  }

  #take(messageType: string, chunk: Buffer): void {
    if (messageType === NEW_ARCHIVE) this.#begin(chunk.toString('utf8', 1, chunk.indexOf(0, 1)));
    else if (messageType === MANIFEST) this.#begin('backup_manifest');
    else if (messageType === DATA && this.#open) {
      const data = chunk.subarray(1);
      this.#open.hash.update(data);
      for (let written = 0; written < data.length;) {
        written += writeSync(this.#open.descriptor, data, written);
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
