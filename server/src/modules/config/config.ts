import type { ConfigState } from '@krapao/contract/states';
import { hashDocument } from '../../platform/documents/compare-documents.ts';
import type { ConfigFamily, ConfigGuard, ConfigSubject, Problem } from '../../platform/documents/subject.ts';

/** What of all modules operators configure. */
export type ConfigInventory = {
  subjects: readonly ConfigSubject[];
  families: readonly ConfigFamily[];
  guards: readonly ConfigGuard[];
};

/** `seed`: as delivered. `sql`: found in the tables, written by SQL, another command or an upgrade. */
export type FoundAuthor = 'seed' | 'sql';

export type ConfigVersion = {
  subject: string;
  version: number;
  document: unknown;
  hash: string;
  basedOn: number | null;
  state: ConfigState;
  author: string;
  note: string;
  createdAt: Date;
};
export type NewVersion = Pick<ConfigVersion, 'subject' | 'document' | 'basedOn' | 'author' | 'note'>;

/** Why a document is not published. */
export type PublishRefusal =
  | { outcome: 'wrong'; problems: readonly Problem[] }
  /** The subject changed since the caller read it. */
  | { outcome: 'changed'; newest: ConfigVersion };
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

/** Whether a document in complete form is the delivered one. */
export const isDelivered = (subject: ConfigSubject, document: unknown): boolean =>
  hashDocument(document) === hashDocument(completeDocument(subject, subject.seed() ?? null));

/** What precedes the first version of a subject: it does not exist. Never stored. */
export const versionZero = ({ name }: ConfigSubject): ConfigVersion => ({
  subject: name,
  version: 0,
  document: null,
  hash: hashDocument(null),
  basedOn: null,
  state: 'SUPERSEDED',
  author: '',
  note: '',
  createdAt: new Date(0),
});

/** Whether the tables hold the document of a version, both in complete form. */
export const isInForce = (version: ConfigVersion, document: unknown): boolean =>
  hashDocument(version.document) === hashDocument(document);

/** What the schema of a subject says about a document. Names each unknown field. */
export function schemaProblems(subject: ConfigSubject, document: unknown): Problem[] {
  const { error } = subject.schema.safeParse(document);
  return (error?.issues ?? []).flatMap((issue): Problem[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown field' }))
      : [{ path: issue.path, message: issue.message }],
  );
}
