import type { ConfigState } from '@krapao/contract/states';
import { hashDocument } from '../../platform/documents/compare-documents.ts';
import type { ConfigFamily, ConfigGuard, ConfigSubject, Problem } from '../../platform/documents/subject.ts';

/** Everything that operators configure, of all modules. */
export type ConfigInventory = {
  subjects: readonly ConfigSubject[];
  families: readonly ConfigFamily[];
  guards: readonly ConfigGuard[];
};

/** Author of a first version that equals the seed. */
export const SEED_AUTHOR = 'seed';
/** Author of a version that SQL, another command or an upgrade wrote to the tables. */
export const EXTERNAL_AUTHOR = 'sql';

export type ConfigVersion = {
  subject: string;
  version: number;
  /** Null: the subject does not exist. */
  document: unknown;
  /** Version that a rollback restored. */
  basedOn: number | null;
  state: ConfigState;
  /** An operator, or {@link SEED_AUTHOR} or {@link EXTERNAL_AUTHOR}. */
  author: string;
  note: string;
  createdAt: Date;
};
export type NewVersion = Pick<ConfigVersion, 'subject' | 'document' | 'basedOn' | 'author' | 'note'>;

/** Why a document is not published. */
export type PublishRefusal =
  | { outcome: 'invalid'; problems: readonly Problem[] }
  /** The subject has changed since the caller read it. */
  | { outcome: 'conflict'; newest: ConfigVersion };
export type PublishResult =
  | PublishRefusal
  | { outcome: 'unchanged'; newest: ConfigVersion }
  | { outcome: 'published'; version: ConfigVersion; effects: readonly string[] };

/** The subject of a name, also of a row that does not exist yet; undefined if there is none. */
export function findSubject({ subjects, families }: ConfigInventory, name: string): ConfigSubject | undefined {
  const family = families.find(({ prefix }) => name.startsWith(prefix));
  return family ? family.subject(name) : subjects.find((subject) => subject.name === name);
}

/** A document in its complete form; unchanged if it is invalid. */
export function completeDocument(subject: ConfigSubject, document: unknown): unknown {
  const result = subject.schema.safeParse(document);
  return result.success ? result.data : document;
}

/** Whether a document in complete form is that of the seed. */
export const isSeedDocument = (subject: ConfigSubject, document: unknown): boolean =>
  hashDocument(document) === hashDocument(completeDocument(subject, subject.seed() ?? null));

/** Version 0, before the first: the subject does not exist. Never stored. */
export const emptyVersionOf = ({ name }: ConfigSubject): ConfigVersion => ({
  subject: name,
  version: 0,
  document: null,
  basedOn: null,
  state: 'SUPERSEDED',
  author: '',
  note: '',
  createdAt: new Date(0),
});

/** Whether the tables hold the document of a version, both in complete form. */
export const isInForce = (version: ConfigVersion, document: unknown): boolean =>
  hashDocument(version.document) === hashDocument(document);

/** Violations of the subject's schema. Each unknown field is named. */
export function findSchemaProblems(subject: ConfigSubject, document: unknown): Problem[] {
  const { error } = subject.schema.safeParse(document);
  return (error?.issues ?? []).flatMap((issue): Problem[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown field' }))
      : [{ path: issue.path, message: issue.message }],
  );
}
