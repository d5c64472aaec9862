import type { Queryable } from '../../platform/database/database.ts';
import { hashDocument } from '../../platform/documents/compare-documents.ts';
import type { ConfigSubject } from '../../platform/documents/subject.ts';
import { completeDocument, isInForce } from './config.ts';
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
  return {
    document,
    isSeed: hashDocument(document) === hashDocument(completeDocument(subject, subject.seed() ?? null)),
    isChosen: isCurrent && !FOUND_AUTHORS.includes(published.author),
  };
}
