import type { TimelineKind, TimelineStepName, pendingItem } from '@krapao/contract/endpoints/timeline';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import type { StatementStatus } from '@krapao/contract/statement';
import type { z } from 'zod';

/** Usual duration of finished items of a method: nine of ten took no longer than `p90Ms`. */
export type Duration = { method: string; p90Ms: number; samples: number };

/** Median time from payment to credit of the last day and week, null without a payment. Samples: number of payments. */
export type CreditSpeed = {
  currency: Currency;
  dayMs: number | null;
  daySamples: number;
  weekMs: number | null;
  weekSamples: number;
};

/**
 * When an open item should end: the usual duration of its method after `since`, or the end of the member's time to
 * pay, which is never late.
 */
export type Expectation = { method: string; since: Date } | { until: Date };

/** An open item in wire format, before its expected end is known. */
export type PendingEntry = Omit<z.input<typeof pendingItem>, 'expectedBy'> & { expectation: Expectation | null };

/** `at`: null where no time is stored. */
export type TimelineStep = { name: TimelineStepName; at: Date | null; isDone: boolean };

/** One movement of money, as its module stores it. */
export type Timeline = {
  /** Own reference. */
  key: string;
  kind: TimelineKind;
  status: StatementStatus;
  requested: Minor | null;
  currency: Currency;
  from: string;
  to: string;
  /** Masked. */
  account: string | null;
  /** Code of the bank of the account; null if the counterparty did not name a known one. */
  bank?: string | null;
  bankReference: string | null;
  reason: string | null;
  steps: TimelineStep[];
  /** The bonus that the member chose with a deposit. */
  bonusCode?: string | null;
  /** Null once it has ended. */
  expectation: Expectation | null;
  /** Idempotency keys of its rows in the statement. */
  operations: readonly string[];
  /** Own account that received a bank transfer. */
  houseAccount?: string | null | undefined;
  /** Other references of the same item. */
  links: readonly string[];
};

/** A finished step; without a stored time `at` is null. */
export const done = (name: TimelineStepName, at: Date | null): TimelineStep => ({ name, at, isDone: true });

/** A step that has not happened. */
export const open = (name: TimelineStepName): TimelineStep => ({ name, at: null, isDone: false });

/** Done at its stored time, or open without one. */
export const stepAt = (name: TimelineStepName, at: Date | null): TimelineStep => (at ? done(name, at) : open(name));

/** Minor units that travel as text in JSON, as the number of the wire. */
export const wireAmount = (text: string): number => toWire(BigInt(text));
