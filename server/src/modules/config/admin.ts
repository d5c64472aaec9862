import { type Database, type Queryable, type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { hashDocument } from '../../platform/documents/compare-documents.ts';
import { type ConfigSubject, NO_OBJECTION, type Parties, type Preview } from '../../platform/documents/subject.ts';
import { UserError } from '../../platform/errors.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import {
  isSeedDocument,
  completeDocument,
  type ConfigInventory,
  type ConfigVersion,
  emptyVersionOf,
  EXTERNAL_AUTHOR,
  findSubject,
  isInForce,
  type PublishResult,
  SEED_AUTHOR,
  findSchemaProblems,
} from './config.ts';
import * as queries from './queries.ts';

export type ConfigDeps = { database: Database; inventory: ConfigInventory; parties: Parties | undefined };

/** SQLSTATE of a wait for a lock that took too long. */
const LOCK_NOT_AVAILABLE = '55P03';
const EXTERNAL_CHANGE_NOTE = 'found in the tables: changed by SQL, by another command or by an upgrade';
/** Stored with the seed's version. */
const SEED_NOTE = 'as delivered';

/** The newest version of every subject, in their usual order. Records external changes. */
export async function listSubjects({ database, inventory }: ConfigDeps): Promise<ConfigVersion[]> {
  const names = inventory.subjects.map(({ name }) => name);
  for (const family of inventory.families) names.push(...(await family.names(database)));
  const deletedNames = (await queries.selectSubjectNames(database)).filter((name) => !names.includes(name));
  const versions: ConfigVersion[] = [];
  for (const name of [...names, ...deletedNames]) {
    const subject = findSubject(inventory, name);
    if (subject) versions.push((await readNewestVersion(database, subject)).version);
  }
  return versions;
}

/**
 * The newest version of a subject, which is in force. An external change (by SQL or another program) is recorded first.
 * @returns `isExternalChange`: this call recorded one
 */
export async function readNewestVersion(
  database: Database,
  subject: ConfigSubject,
): Promise<{ version: ConfigVersion; isExternalChange: boolean }> {
  const [published, document] = [await selectPublished(database, subject), await readDocument(database, subject)];
  if (isInForce(published, document)) return { version: published, isExternalChange: false };
  return runLocked(database, subject, (tx) => recordExternalChange(tx, subject));
}

/** Runs a transaction in which no other session changes the subject. @throws {UserError} another holds a lock for 5 s */
async function runLocked<T>(database: Database, subject: ConfigSubject, work: (tx: Tx) => Promise<T>): Promise<T> {
  let otherSession = '';
  try {
    return await database.tx(async (tx) => {
      otherSession = 'is changing operator data';
      await queries.lockConfig(tx);
      otherSession = `has changed ${subject.name}`;
      await subject.lock(tx);
      otherSession = `has locked a table that a change of ${subject.name} writes`;
      return work(tx);
    });
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    const message = `Nothing is changed: another session ${otherSession}, and has not committed yet. Try again, or end that session.`;
    throw new UserError(message, { cause: error });
  }
}

/** The newest version, its document in complete form: jsonb has another order of keys, and may lack newer fields. */
async function selectPublished(on: Queryable, subject: ConfigSubject): Promise<ConfigVersion> {
  const version = (await queries.selectPublished(on, subject.name)) ?? emptyVersionOf(subject);
  return { ...version, document: completeDocument(subject, version.document) };
}

const readDocument = async (on: Queryable, subject: ConfigSubject): Promise<unknown> =>
  completeDocument(subject, await subject.read(on));

async function recordExternalChange(
  tx: Tx,
  subject: ConfigSubject,
): Promise<{ version: ConfigVersion; isExternalChange: boolean }> {
  const published = await selectPublished(tx, subject);
  const document = await readDocument(tx, subject);
  if (isInForce(published, document)) return { version: published, isExternalChange: false };
  const isFirst = published.version === 0;
  const isSeed = isFirst && isSeedDocument(subject, document);
  const version = await queries.insertVersion(tx, {
    subject: subject.name,
    document,
    basedOn: null,
    ...(isSeed ? { author: SEED_AUTHOR, note: SEED_NOTE } : { author: EXTERNAL_AUTHOR, note: EXTERNAL_CHANGE_NOTE }),
  });
  // The first version of a subject is no change.
  return { version: { ...version, document }, isExternalChange: !isFirst };
}

/**
 * Runs another command that changes the tables of a subject, and records its change as a version of the same operator,
 * in one commit.
 */
export const recordChange = <Result>(
  database: Database,
  subject: ConfigSubject,
  { by, why }: Signature,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> =>
  runLocked(database, subject, async (tx) => {
    const { version: before } = await recordExternalChange(tx, subject);
    const result = await change(tx);
    const document = await readDocument(tx, subject);
    if (!isInForce(before, document)) {
      await queries.insertVersion(tx, { subject: subject.name, document, basedOn: null, author: by, note: why });
    }
    return result;
  });

/** Every version of a subject, oldest first. */
export async function readHistory(database: Database, subject: ConfigSubject): Promise<ConfigVersion[]> {
  await readNewestVersion(database, subject);
  return queries.selectVersions(database, subject.name);
}

export const findVersion = (
  database: Database,
  { name }: ConfigSubject,
  version: number,
): Promise<ConfigVersion | undefined> => queries.selectVersion(database, name, version);

/** What publishing a document would do. Changes nothing. */
export async function previewDocument(
  { database, inventory, parties }: ConfigDeps,
  subject: ConfigSubject,
  document: unknown,
): Promise<Preview & { current: ConfigVersion; complete: unknown }> {
  const { version: current } = await readNewestVersion(database, subject);
  const problems = findSchemaProblems(subject, document);
  const complete = completeDocument(subject, document);
  const isSame = isInForce(current, complete);
  const preview =
    problems.length > 0 || isSame
      ? { problems, effects: [] }
      : await previewChange(database, { inventory, parties }, { subject, complete, current });
  return { ...preview, current, complete };
}

type Comparison = { subject: ConfigSubject; complete: unknown; current: ConfigVersion };

async function previewChange(
  on: Queryable,
  { inventory, parties }: Pick<ConfigDeps, 'inventory' | 'parties'>,
  { subject, complete, current }: Comparison,
): Promise<Preview> {
  const previews = [await subject.preview(on, complete, { current: current.document, parties })];
  for (const guard of inventory.guards.filter((candidate) => candidate.guards(subject.name))) {
    previews.push(await guard.preview(on, subject.name, complete, current.document));
  }
  return {
    problems: previews.flatMap((preview) => preview.problems),
    effects: previews.flatMap((preview) => preview.effects),
  };
}

/** Rolls the transaction back, and carries its result. */
class NotPublished extends Error {
  readonly result: PublishResult;

  constructor(result: PublishResult) {
    super(result.outcome);
    this.result = result;
  }
}

/**
 * Publishes a document: writes it to the tables, as a new version with its entry in the operator's log, in one commit.
 * Refuses it if its author may not have seen the newest version, or if that changes during this call.
 */
export async function publishDocument(
  deps: ConfigDeps,
  subject: ConfigSubject,
  request: PublishRequest,
): Promise<PublishResult> {
  const { database } = deps;
  const base = await readNewestVersion(database, subject);
  if (base.isExternalChange || isOutdated(subject, base.version, request))
    return { outcome: 'conflict', newest: base.version };
  const problems = findSchemaProblems(subject, request.document);
  if (problems.length > 0) return { outcome: 'invalid', problems };
  try {
    return await runLocked(database, subject, async (tx): Promise<PublishResult> => {
      const { version: current } = await recordExternalChange(tx, subject);
      // Returned, not thrown: the external change is committed.
      if (current.version !== base.version.version) return { outcome: 'conflict', newest: current };
      return publishLocked(tx, deps, { ...request, subject, current });
    });
  } catch (error) {
    if (error instanceof NotPublished) return error.result;
    // For example a member who chose the offer while it was deleted.
    const constraint = violatedConstraint(error);
    if (constraint)
      return { outcome: 'invalid', problems: [{ path: [], message: `against ${constraint} of the database` }] };
    throw error;
  }
}

async function publishLocked(
  tx: Tx,
  deps: ConfigDeps,
  { subject, current, document, basedOn, signature }: Omit<Comparison, 'complete'> & PublishRequest,
): Promise<PublishResult> {
  const complete = completeDocument(subject, document);
  // Applying the unchanged seed confirms it: the new version has an operator as author.
  const isSame = isInForce(current, complete);
  const isRolledBack = current.basedOn !== null && basedOn === null && isSeedDocument(subject, complete);
  const isSeedChosen = (current.author === SEED_AUTHOR || isRolledBack) && current.document !== null;
  if (isSame && !isSeedChosen) return { outcome: 'unchanged', newest: current };
  const { problems, effects } = isSame ? NO_OBJECTION : await previewChange(tx, deps, { subject, complete, current });
  if (problems.length > 0) return { outcome: 'invalid', problems };
  if (!isSame) await subject.apply(tx, complete);
  const stored = await readDocument(tx, subject);
  if (!isSame && isInForce(current, stored)) throw new NotPublished({ outcome: 'unchanged', newest: current });
  const version = await queries.insertVersion(tx, {
    subject: subject.name,
    document: stored,
    basedOn,
    author: signature.by,
    note: signature.why,
  });
  const what =
    basedOn === null
      ? `config apply, version ${version.version}`
      : `config rollback to ${basedOn}, version ${version.version}`;
  await logOperator(tx, signature, { what, subject: subject.name });
  return { outcome: 'published', version, effects: [...describeReplaced(current, signature), ...effects] };
}

type PublishRequest = {
  document: unknown;
  /** Version that a rollback restores. */
  basedOn: number | null;
  /** Version that the document was written from. Optional if the newest is the seed's or by the same operator. */
  from?: number | undefined;
  signature: Signature;
};

/** Whether a document may have been written from an older version. A rollback names what it restores. */
function isOutdated(
  subject: ConfigSubject,
  { version, author, document: current }: ConfigVersion,
  { from, basedOn, document, signature }: PublishRequest,
): boolean {
  if (from !== undefined) return from !== version;
  if (basedOn !== null || version === 0 || author === SEED_AUTHOR || author === signature.by) return false;
  return hashDocument(current) !== hashDocument(completeDocument(subject, document));
}

/** Describes another author's version, which may have been published while the document was edited. */
const describeReplaced = ({ version, author, note }: ConfigVersion, { by }: Signature): string[] =>
  version === 0 || author === SEED_AUTHOR || author === by
    ? []
    : [`It replaces version ${version} by ${author}: ${note}.`];
