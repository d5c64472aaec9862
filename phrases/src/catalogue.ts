import type { ErrorCode } from '@krapao/contract/errors';
import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { SpinError } from '@krapao/contract/endpoints/spinwheel';
import type { Language } from '@krapao/contract/languages';
import type * as laterEn from './later-words-en.ts';
import type * as laterLa from './later-words-la.ts';
import type * as laterTh from './later-words-th.ts';
import type * as en from './words-en.ts';
import type * as la from './words-la.ts';
import type * as th from './words-th.ts';

/**
 * What the app and the server may say, by word (one JSON file per word and language). Thai is written first and gives
 * the keys; the other two must have the same ones, or this file does not compile.
 */
export type Catalogue = typeof th & typeof laterTh;

/** Words in the second file of a language. */
export type LaterNamespace = keyof typeof laterTh;

/** A word: the name of one JSON file, which is also the unit that is loaded. */
export type Namespace = keyof Catalogue;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** English has a form for one; Thai and Lao have not. The forms of a key count as the key. */
type Form<K> = K extends `${infer Stem}_one` ? `${Stem}_other` : K;
type Keys<T> = T extends object ? { [K in keyof T as Form<K>]: Keys<T[K]> } : string;
type Is<T extends true> = T;

export type LaoIsComplete = Is<Same<Keys<typeof la & typeof laterLa>, Keys<Catalogue>>>;
export type EnglishIsComplete = Is<Same<Keys<typeof en & typeof laterEn>, Keys<Catalogue>>>;

/** Each code of the error catalogue has words, and no words are left without a code. */
type Codes = keyof Catalogue['errors']['errorMsg'];
export type EveryCodeHasWords = Is<Same<Exclude<ErrorCode, Codes>, never>>;
export type EveryWordHasItsCode = Is<Same<Exclude<Codes, ErrorCode>, never>>;

/** So do the refusals of the wheel and the reasons of failed payouts, which are looked up by what the server answers. */
export type EverySpinErrorHasWords = Is<Same<Exclude<SpinError, keyof Catalogue['spinwheel']['error']>, never>>;
type Reasons = keyof Catalogue['parts']['withdrawReason'];
export type EveryWithdrawReasonHasWords = Is<Same<Exclude<WithdrawReason, Reasons>, never>>;

/** The files of one language, loaded. */
export type Catalogues = Record<Language, { [W in Namespace]: object }>;
