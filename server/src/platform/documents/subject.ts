import type { Currency } from '@krapao/contract/money';
import type { z } from 'zod';
import type { Queryable, Tx } from '../database/database.ts';

/** Keys and indexes from the root of a document. */
export type DocumentPath = readonly PropertyKey[];
/** What is wrong with a document. An empty path is the document itself. */
export type Problem = { path: DocumentPath; message: string };

/** Counterparties of the outside file. */
export type Parties = {
  /** Currency by code of the gateway. */
  gateways: ReadonlyMap<string, Currency>;
  providers: ReadonlySet<string>;
  /** Keys of the operator's accounts at the bank. */
  bankAccounts: ReadonlySet<string>;
  /** Phone of the wallet app's account; undefined without one. */
  walletAppPhone: string | undefined;
};

/** The key of a bank account, which operators also read: `CODE NUMBER CURRENCY`. */
export const bankAccountKey = (account: { bankCode: string; accountNo: string; currency: string }): string =>
  `${account.bankCode} ${account.accountNo} ${account.currency}`;

export type PreviewContext = {
  /** The document that is in force; its form may be invalid. Null: the subject does not exist. */
  current: unknown;
  /** Undefined: the outside file can't be read, so references to it are not checked. */
  parties: Parties | undefined;
};

/** What publishing a document would do: reasons against it, and sentences about consequences. */
export type Preview = { problems: Problem[]; effects: string[] };

/** What operators set as one JSON document. The module that owns the tables defines it. */
export type ConfigSubject<Document = unknown> = {
  name: string;
  /** Parses JSON to a complete document: defaults filled in, keys in their usual order, amounts as decimal text. */
  schema: z.ZodType<Document>;
  /** Locks the rows of the document until the transaction ends, so that no other program changes them. */
  lock(tx: Tx): Promise<void>;
  /** The document in the tables, which may be invalid after a change by SQL; null if the subject does not exist. */
  read(on: Queryable): Promise<unknown>;
  /** Writes the document to the tables. Afterwards `read` returns it. */
  apply(tx: Tx, document: Document): Promise<void>;
  preview(on: Queryable, document: Document, context: PreviewContext): Promise<Preview>;
  /** The document of the seed; undefined if the seed has none. */
  seed(): unknown;
};

/** A document in force, compared with that of the seed. */
export type SeedState = {
  document: unknown;
  isSeed: boolean;
  /** Whether an operator applied it, also if it equals the seed. */
  isChosen: boolean;
};

/** Subjects of one kind, one per row: `offer:CODE`. */
export type ConfigFamily = {
  /** With the colon. */
  prefix: string;
  /** Names of the existing subjects. */
  names(on: Queryable): Promise<string[]>;
  /** Names of the subjects that the seed inserts. */
  seedNames(): string[];
  /** The subject, also of a row that does not exist yet; undefined if its name is invalid. */
  subject(name: string): ConfigSubject | undefined;
};

/** Reasons of another module against a document: its rows refer to what the document removes. */
export type ConfigGuard = {
  guards(subjectName: string): boolean;
  preview(on: Queryable, subjectName: string, document: unknown, current: unknown): Promise<Preview>;
};

export const NO_OBJECTION: Preview = { problems: [], effects: [] };

/** Effects of a preview that could not check references to counterparties. */
export const warnUncheckedParties = (parties: Parties | undefined): string[] =>
  parties ? [] : ["The outside file can't be read, so references to it are not checked."];

/** Elements of `before` whose key is not among those of `after`. */
export function findRemoved<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): Item[] {
  const remaining = new Set(after.map(keyOf));
  return before.filter((item) => !remaining.has(keyOf(item)));
}
