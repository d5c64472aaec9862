import { configTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { hashDocument } from '../../platform/documents/compare-documents.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { ConfigVersion, NewVersion } from './config.ts';

const COLUMNS = `subject, version, document, based_on as "basedOn", state, author, note, created_at as "createdAt"`;

/**
 * Waits for a change by another operator, and blocks further ones until the transaction ends. One lock for all
 * subjects: a document may name what another one removes. No lock of the transaction is waited for longer than 5 s.
 */
export async function lockConfig(tx: Tx): Promise<void> {
  await tx.query(`select set_config('lock_timeout', '5s', true)`);
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('config', 0))`);
}

/** The newest version of a subject. */
export async function selectPublished(on: Queryable, subject: string): Promise<ConfigVersion | undefined> {
  const { rows } = await on.query<ConfigVersion>(
    `select ${COLUMNS} from config_version where subject = $1 and state = 'PUBLISHED'`,
    [subject],
  );
  return rows[0];
}

export async function selectVersion(
  on: Queryable,
  subject: string,
  version: number,
): Promise<ConfigVersion | undefined> {
  const { rows } = await on.query<ConfigVersion>(
    `select ${COLUMNS} from config_version where subject = $1 and version = $2`,
    [subject, version],
  );
  return rows[0];
}

/** Every version of a subject, oldest first. */
export async function selectVersions(on: Queryable, subject: string): Promise<ConfigVersion[]> {
  const { rows } = await on.query<ConfigVersion>(
    `select ${COLUMNS} from config_version where subject = $1 order by version`,
    [subject],
  );
  return rows;
}

/** Names of subjects that have versions, also of deleted ones. */
export async function selectSubjectNames(on: Queryable): Promise<string[]> {
  const { rows } = await on.query<{ subject: string }>(
    `select subject from config_version where state = 'PUBLISHED' order by subject`,
  );
  return rows.map(({ subject }) => subject);
}

/** Adds a version, which supersedes the newest one. Call it under the lock. */
export async function insertVersion(tx: Tx, version: NewVersion): Promise<ConfigVersion> {
  const { subject, document, basedOn, author, note } = version;
  await tx.query(`update config_version set state = 'SUPERSEDED' where subject = $1 and state = any($2)`, [
    subject,
    statesBefore(configTransitions, 'SUPERSEDED'),
  ]);
  const { rows } = await tx.query<ConfigVersion>(
    `insert into config_version (subject, version, document, hash, based_on, state, author, note)
     select $1, coalesce(max(version), 0) + 1, $2, $3, $4, 'PUBLISHED', $5, $6 from config_version where subject = $1
     returning ${COLUMNS}`,
    [subject, JSON.stringify(document), hashDocument(document), basedOn, author, note],
  );
  const [inserted] = rows;
  if (!inserted) throw new Error('an insert returned no row');
  return inserted;
}
