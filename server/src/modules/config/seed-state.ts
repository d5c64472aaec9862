import type { Queryable } from '../../platform/database/database.ts';
import type { ConfigSubject } from '../../platform/documents/subject.ts';
import { completeDocument, isSeedDocument, isInForce } from './config.ts';
import { selectPublished } from './queries.ts';

/** A document in force, compared with the delivered one. */
export type SeedState = {
  document: unknown;
  isSeed: boolean;
  /** Whether an operator applied it, also if it is as delivered. */
  isChosen: boolean;
};

const FOUND_AUTHORS = ['seed', 'sql'];

/** Compares a subject with its delivered document. Records nothing. */
export async function readSeedState(on: Queryable, subject: ConfigSubject): Promise<SeedState> {
  const document = completeDocument(subject, await subject.read(on));
  const published = await selectPublished(on, subject.name);
  const isCurrent =
    published !== undefined &&
    isInForce({ ...published, document: completeDocument(subject, published.document) }, document);
  const isSeed = isSeedDocument(subject, document);
  // A rollback to the delivered document undoes a change; it chooses nothing.
  const isRollbackToSeed = isSeed && published?.basedOn !== null;
  return {
    document,
    isSeed,
    isChosen: isCurrent && !FOUND_AUTHORS.includes(published.author) && !isRollbackToSeed,
  };
}
