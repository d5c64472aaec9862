import type { Queryable } from '../../platform/database/database.ts';
import type { ConfigSubject, SeedState } from '../../platform/documents/subject.ts';
import { completeDocument, EXTERNAL_AUTHOR, isInForce, isSeedDocument, SEED_AUTHOR } from './config.ts';
import { selectPublished } from './queries.ts';

/** Compares a subject with its document of the seed. Records nothing. */
export async function readSeedState(on: Queryable, subject: ConfigSubject): Promise<SeedState> {
  const document = completeDocument(subject, await subject.read(on));
  const published = await selectPublished(on, subject.name);
  const isCurrent =
    published !== undefined &&
    isInForce({ ...published, document: completeDocument(subject, published.document) }, document);
  const isSeed = isSeedDocument(subject, document);
  // A rollback to the seed undoes a change; it chooses nothing.
  const isRollbackToSeed = isSeed && published?.basedOn !== null;
  return {
    document,
    isSeed,
    isChosen:
      isCurrent && published.author !== SEED_AUTHOR && published.author !== EXTERNAL_AUTHOR && !isRollbackToSeed,
  };
}
