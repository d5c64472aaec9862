/**
 * State tables: the allowed transitions, one table per kind of row. The server refuses every other transition
 * (platform/state-machine.ts); the app and the tests read the same tables.
 *
 * States are in capitals in rows, on the wire and in operator commands, because runbooks, metrics and commands use the
 * stored value. Lower case are only the ledger's own types, a member's `status` and the states of one-time codes.
 */
export type Transitions = Readonly<Record<string, readonly string[]>>;
export type StateOf<T extends Transitions> = keyof T & string;

/** Whether a table allows the transition from `from` to `to`. */
export const canFollow = <T extends Transitions>(transitions: T, from: StateOf<T>, to: StateOf<T>): boolean =>
  transitions[from]?.includes(to) ?? false;

/** Whether a state is final. */
export const isFinal = <T extends Transitions>(transitions: T, state: StateOf<T>): boolean =>
  transitions[state]?.length === 0;

type FinalOf<T extends Transitions> = { [S in StateOf<T>]: T[S] extends readonly [] ? S : never }[StateOf<T>];
type OpenOf<T extends Transitions> = Exclude<StateOf<T>, FinalOf<T>>;
type NonEmptyList<S> = [S, ...S[]];

/** All states of a table, in its order. */
function statesOf<T extends Transitions>(transitions: T): NonEmptyList<StateOf<T>> {
  return Object.keys(transitions) as NonEmptyList<StateOf<T>>;
}

/** The states of a table that are not final. */
function openStates<T extends Transitions>(transitions: T): NonEmptyList<OpenOf<T>> {
  return statesOf(transitions).filter((state) => !isFinal(transitions, state)) as NonEmptyList<OpenOf<T>>;
}

/** The final states of a table. */
function finalStates<T extends Transitions>(transitions: T): NonEmptyList<FinalOf<T>> {
  return statesOf(transitions).filter((state) => isFinal(transitions, state)) as NonEmptyList<FinalOf<T>>;
}

export const transferTransitions = {
  /**
   * The second leg of a transfer from game to game, which waits for the first. Nothing is held, and no call was sent.
   */
  QUEUED: ['SENT', 'REVERSED'],
  /** The money is held, and the call to the provider is in flight. */
  SENT: ['DONE', 'REVERSED', 'UNKNOWN'],
  /** The outcome is unknown. The resolver inquires at the provider. */
  UNKNOWN: ['DONE', 'REVERSED', 'MANUAL'],
  /**
   * The provider does not reply, its replies prove nothing, or an operator took the transfer over: an operator decides.
   */
  MANUAL: ['DONE', 'REVERSED'],
  DONE: [],
  REVERSED: [],
} as const;
export type TransferState = keyof typeof transferTransitions;

export const qrcodeTransitions = {
  /** The row exists; the call to the gateway is in flight. */
  CREATING: ['PENDING', 'FAILED', 'PAID'],
  PENDING: ['PAID', 'CANCELLED', 'EXPIRED'],
  /** PAID may follow cancelled and expired: late money still belongs to the member. */
  CANCELLED: ['PAID'],
  EXPIRED: ['PAID'],
  FAILED: ['PAID'],
  PAID: [],
} as const;
export type QrcodeState = keyof typeof qrcodeTransitions;

export const withdrawTransitions = {
  /** The row exists. The money is held, or money in games is moved to the wallet first. No call was sent. */
  HELD: ['SENT', 'FAILED'],
  /** The payout call to the bank is in flight. */
  SENT: ['ACCEPTED', 'PAID', 'FAILED', 'UNKNOWN'],
  /** The bank has accepted the payout and processes it. */
  ACCEPTED: ['PAID', 'FAILED', 'MANUAL'],
  /**
   * It is unknown whether the bank has the payout. The resolver inquires by our reference; the payout is never sent
   * again without proof.
   */
  UNKNOWN: ['ACCEPTED', 'PAID', 'FAILED', 'MANUAL'],
  /** Unresolved for a day, or taken over by an operator: an operator decides. */
  MANUAL: ['PAID', 'FAILED'],
  PAID: [],
  FAILED: [],
} as const;
export type WithdrawState = keyof typeof withdrawTransitions;

/** States of a pending withdrawal; a member has at most one. */
export const openWithdrawStates = openStates(withdrawTransitions);

/** A transfer received on an operator account. */
export const arrivalTransitions = {
  /** Reported, but not yet assigned to a member. */
  NEW: ['CREDITED', 'SUSPENSE', 'GATEWAY'],
  /** Matches no member, or several: an operator or a slip decides. */
  SUSPENSE: ['CREDITED'],
  CREDITED: [],
  /** Belongs to a gateway's code, which credited the money. */
  GATEWAY: [],
} as const;
export type ArrivalState = keyof typeof arrivalTransitions;

/** A member's announcement of a bank transfer. */
export const announcementTransitions = {
  OPEN: ['MATCHED', 'EXPIRED', 'THIRD_PARTY'],
  /** Late money still belongs to the member. */
  EXPIRED: ['MATCHED', 'THIRD_PARTY'],
  /** Another sender sent exactly this amount. The member's own money may still arrive, or an operator may decide. */
  THIRD_PARTY: ['MATCHED'],
  MATCHED: [],
} as const;
export type AnnouncementState = keyof typeof announcementTransitions;

/** An image of a transfer slip, sent by a member. */
export const slipTransitions = {
  /** The file is stored but not yet read. */
  RECEIVED: ['READ', 'FAILED', 'MANUAL'],
  /** The QR code names a transfer. The bank's reply to the inquiry decides. */
  READ: ['CREDITED', 'FAILED', 'MANUAL'],
  /**
   * Neither credited nor refused automatically. An operator decides, or retries the reading or the inquiry at the bank.
   * Until then the member sees it in progress or UNKNOW_ERROR, by its reason (docs/deposits.md).
   */
  MANUAL: ['RECEIVED', 'READ', 'CREDITED', 'FAILED'],
  CREDITED: [],
  FAILED: [],
} as const;
export type SlipState = keyof typeof slipTransitions;

/** A gift link of the wallet app, sent by a member. */
export const giftTransitions = {
  /** The row exists; redemption has not started. */
  NEW: ['REDEEMING', 'FAILED'],
  /** The redeeming call is in flight. */
  REDEEMING: ['CREDITED', 'FAILED', 'UNKNOWN'],
  /** The outcome is unknown, so the wallet app is inquired. If proven unredeemed, the link may be redeemed again. */
  UNKNOWN: ['NEW', 'CREDITED', 'FAILED', 'MANUAL'],
  /** Unresolved for a day, or redeemed by us with an unknown amount: an operator decides. */
  MANUAL: ['UNKNOWN'],
  CREDITED: [],
  FAILED: [],
} as const;
export type GiftState = keyof typeof giftTransitions;

/** A condition that blocks withdrawals until it is met. */
export const conditionTransitions = {
  /** Decided and stored; posting to the ledger is in progress. Withdrawals are already blocked. */
  OPENING: ['ACTIVE', 'FAILED'],
  ACTIVE: ['SUCCESS', 'FAILED', 'CLEARING'],
  /** Cancelled by the member or expired: the amount to take back is fixed, posting to the ledger is in progress. */
  CLEARING: ['CANCELLED', 'EXPIRED', 'ACTIVE'],
  SUCCESS: [],
  FAILED: [],
  CANCELLED: [],
  EXPIRED: [],
} as const;
export type ConditionState = keyof typeof conditionTransitions;
/** Ends of a condition. All but CANCELLED happen automatically. */
export const conditionEnds = finalStates(conditionTransitions);
export const conditionStates = statesOf(conditionTransitions);

/** Money of an incentive that is not yet in the wallet. */
export const grantTransitions = {
  /** The same commit uses up its entitlements; posting to the ledger is in progress. */
  OPEN: ['PAID'],
  PAID: [],
} as const;
export type GrantState = keyof typeof grantTransitions;

/** A bonus chosen with a deposit, from the credit of the deposit on. */
export const depositBonusTransitions = {
  DUE: ['RECEIVED', 'REFUSED'],
  RECEIVED: [],
  REFUSED: [],
} as const;
export type DepositBonusState = keyof typeof depositBonusTransitions;

/** A prize of the spin wheel. */
export const couponTransitions = {
  OPEN: ['CLAIMED', 'EXPIRED'],
  CLAIMED: [],
  EXPIRED: [],
} as const;
export type CouponState = keyof typeof couponTransitions;
export const couponStates = statesOf(couponTransitions);

/** A login at a game provider. */
export const gameAccountTransitions = {
  /** The call that creates the account is in flight, or its outcome is unknown. */
  OPENING: ['ACTIVE'],
  ACTIVE: [],
} as const;
export type GameAccountState = keyof typeof gameAccountTransitions;

/** A file of a member's statement. */
export const exportTransitions = {
  RUNNING: ['DONE', 'FAILED'],
  DONE: [],
  FAILED: [],
} as const;
export type ExportState = keyof typeof exportTransitions;
export const exportStates = statesOf(exportTransitions);

/** A version of what operators configure. */
export const configTransitions = {
  PUBLISHED: ['SUPERSEDED'],
  SUPERSEDED: [],
} as const;
export type ConfigState = keyof typeof configTransitions;

/** A seed of the spin wheel: its hash is shown before the first draw, the seed itself after the last. */
export const seedTransitions = {
  NEXT: ['CURRENT'],
  CURRENT: ['REVEALED'],
  REVEALED: [],
} as const;
export type SeedState = keyof typeof seedTransitions;

/** A one-time code. */
export const otpTransitions = {
  /** The gateway has not replied yet. */
  sending: ['live'],
  /** The valid code of its phone. */
  live: ['replaced', 'consumed', 'blocked'],
  replaced: [],
  consumed: [],
  blocked: [],
} as const;
export type OtpState = keyof typeof otpTransitions;
