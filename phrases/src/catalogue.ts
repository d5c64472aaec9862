import type { SpinError } from '@krapao/contract/endpoints/spinwheel';
import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { ErrorCode } from '@krapao/contract/errors';
import type { Language } from '@krapao/contract/languages';
import type * as laterEn from './later-words-en.ts';
import type * as laterLa from './later-words-la.ts';
import type * as laterTh from './later-words-th.ts';
import type * as en from './words-en.ts';
import type * as la from './words-la.ts';
import type * as th from './words-th.ts';

/**
 * Texts of app and server, by namespace (one JSON file per namespace and language). Thai defines the keys; the other
 * two languages must have the same keys, or this file does not compile.
 */
export type Catalogue = typeof th & typeof laterTh;

/** Namespaces in the second file of a language. */
export type LaterNamespace = keyof typeof laterTh;

/** Name of one JSON file, which is also the unit of loading. */
export type Namespace = keyof Catalogue;

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** English has a singular form; Thai and Lao have none. Plural forms count as one key. */
type PluralForm<K> = K extends `${infer Stem}_one` ? `${Stem}_other` : K;
type KeyTree<T> = T extends object ? { [K in keyof T as PluralForm<K>]: KeyTree<T[K]> } : string;
type AssertTrue<T extends true> = T;

export type LaoIsComplete = AssertTrue<IsSame<KeyTree<typeof la & typeof laterLa>, KeyTree<Catalogue>>>;
export type EnglishIsComplete = AssertTrue<IsSame<KeyTree<typeof en & typeof laterEn>, KeyTree<Catalogue>>>;

/** Compile-time check: each error code has a phrase, and each phrase a code. */
type ErrorCodes = keyof Catalogue['errors']['errorMsg'];
export type EveryCodeHasWords = AssertTrue<IsSame<Exclude<ErrorCode, ErrorCodes>, never>>;
export type EveryWordHasItsCode = AssertTrue<IsSame<Exclude<ErrorCodes, ErrorCode>, never>>;

/** The same check for refusals of the wheel and reasons of failed payouts, whose phrases are looked up by code. */
export type EverySpinErrorHasWords = AssertTrue<
  IsSame<Exclude<SpinError, keyof Catalogue['spinwheel']['error']>, never>
>;
type WithdrawReasons = keyof Catalogue['parts']['withdrawReason'];
export type EveryWithdrawReasonHasWords = AssertTrue<IsSame<Exclude<WithdrawReason, WithdrawReasons>, never>>;

/** All loaded files of one language. */
export type Catalogues = Record<Language, { [W in Namespace]: object }>;
