/**
 * What can follow what: one table for each thing that has states. The server refuses every other step
 * (settlement/transition); the app and the tests read the same tables.
 */
export type Transitions = Readonly<Record<string, readonly string[]>>;
export type StateOf<T extends Transitions> = keyof T & string;

/** Whether a table lets `to` follow `from`. */
export const canFollow = <T extends Transitions>(transitions: T, from: StateOf<T>, to: StateOf<T>): boolean =>
  transitions[from]?.includes(to) ?? false;

/** Whether nothing follows a state. */
export const isFinal = <T extends Transitions>(transitions: T, state: StateOf<T>): boolean =>
  transitions[state]?.length === 0;

type FinalOf<T extends Transitions> = { [S in StateOf<T>]: T[S] extends readonly [] ? S : never }[StateOf<T>];
type OpenOf<T extends Transitions> = Exclude<StateOf<T>, FinalOf<T>>;
type List<S> = [S, ...S[]];

/** All states of a table, in its order. */
function statesOf<T extends Transitions>(transitions: T): List<StateOf<T>> {
  return Object.keys(transitions) as List<StateOf<T>>;
}

/** The states of a table that something follows. */
function openStates<T extends Transitions>(transitions: T): List<OpenOf<T>> {
  return statesOf(transitions).filter((state) => !isFinal(transitions, state)) as List<OpenOf<T>>;
}

/** The states of a table that nothing follows. */
function finalStates<T extends Transitions>(transitions: T): List<FinalOf<T>> {
  return statesOf(transitions).filter((state) => isFinal(transitions, state)) as List<FinalOf<T>>;
}

export const transferTransitions = {
  /** The row exists, the money is held (or, coming from a game, nothing has moved yet). No call has gone out. */
  HELD: ['SENT', 'REVERSED'],
  /** The call to the provider is on its way. */
  SENT: ['DONE', 'REVERSED', 'UNKNOWN'],
  /** The provider hasn't told. The resolver asks. */
  UNKNOWN: ['DONE', 'REVERSED', 'MANUAL'],
  /** Nobody tells, or what they tell proves nothing, or an operator took it over: an operator decides. */
  MANUAL: ['DONE', 'REVERSED'],
  DONE: [],
  REVERSED: [],
} as const;
export type TransferState = keyof typeof transferTransitions;

export const qrcodeTransitions = {
  /** The row exists, the gateway is being asked. */
  CREATING: ['PENDING', 'FAILED', 'PAID'],
  PENDING: ['PAID', 'CANCELLED', 'EXPIRED'],
  /** Paid beats cancelled and expired: late money is still the member's. */
  CANCELLED: ['PAID'],
  EXPIRED: ['PAID'],
  FAILED: ['PAID'],
  PAID: [],
} as const;
export type QrcodeState = keyof typeof qrcodeTransitions;

export const withdrawTransitions = {
  /** The row exists and the money is held. No call has gone out. */
  HELD: ['SENT', 'FAILED'],
  /** The payout call is on its way to the bank. */
  SENT: ['ACCEPTED', 'PAID', 'FAILED', 'UNKNOWN'],
  /** The bank has the payout and works on it. */
  ACCEPTED: ['PAID', 'FAILED', 'MANUAL'],
  /** The bank hasn't told whether it has it. It is asked by our reference, and never sent again blindly. */
  UNKNOWN: ['ACCEPTED', 'PAID', 'FAILED', 'MANUAL'],
  /** Asked for a day without an answer: an operator decides. */
  MANUAL: ['PAID', 'FAILED'],
  PAID: [],
  FAILED: [],
} as const;
export type WithdrawState = keyof typeof withdrawTransitions;

/** A withdrawal in one of these is under way: a member has at most one. */
export const openWithdrawStates = openStates(withdrawTransitions);

/** A transfer that came to an account of ours. */
export const arrivalTransitions = {
  /** Somebody has told of it; whose it is isn't decided. */
  NEW: ['CREDITING', 'SUSPENSE', 'GATEWAY'],
  /** It matches nobody, or several: an operator decides, or a slip does. */
  SUSPENSE: ['CREDITING'],
  /** It is decided who gets it; the ledger is being told. */
  CREDITING: ['CREDITED'],
  CREDITED: [],
  /** A gateway's code stands for it, and was credited as that. */
  GATEWAY: [],
} as const;
export type ArrivalState = keyof typeof arrivalTransitions;

/** A member's word that a transfer is on its way. */
export const noticeTransitions = {
  OPEN: ['MATCHED', 'EXPIRED', 'THIRD_PARTY'],
  /** Late money is still the member's. */
  EXPIRED: ['MATCHED', 'THIRD_PARTY'],
  /** Somebody else sent exactly this amount. The member's own money may still come, or an operator may decide. */
  THIRD_PARTY: ['MATCHED'],
  MATCHED: [],
} as const;
export type NoticeState = keyof typeof noticeTransitions;

/** A picture of a transfer slip that a member has sent. */
export const slipTransitions = {
  /** The file is kept. Nobody has looked at it. */
  RECEIVED: ['READ', 'FAILED', 'MANUAL'],
  /** Its code names a transfer. The bank is asked, and what it tells decides. */
  READ: ['CREDITED', 'FAILED', 'MANUAL'],
  /** Neither credited nor refused by itself: an operator decides, or has it read or the bank asked again. The member is told UNKNOW_ERROR meanwhile. */
  MANUAL: ['RECEIVED', 'READ', 'CREDITED', 'FAILED'],
  CREDITED: [],
  FAILED: [],
} as const;
export type SlipState = keyof typeof slipTransitions;

/** A gift link of the wallet app that a member has sent. */
export const giftTransitions = {
  /** The row exists; nothing has been redeemed. */
  NEW: ['REDEEMING', 'FAILED'],
  /** The redeeming call is on its way. */
  REDEEMING: ['CREDITING', 'FAILED', 'UNKNOWN'],
  /** The wallet app hasn't told. It is asked; proven to be untouched, it may be redeemed again. */
  UNKNOWN: ['NEW', 'CREDITING', 'FAILED', 'MANUAL'],
  /** Asked in vain for a day, or we have it and nobody says how much it was: an operator decides. */
  MANUAL: ['UNKNOWN'],
  /** Our ticket has been read; the ledger is being told. */
  CREDITING: ['CREDITED'],
  CREDITED: [],
  FAILED: [],
} as const;
export type GiftState = keyof typeof giftTransitions;

/** What holds money of an incentive back until it is met. */
export const conditionTransitions = {
  /** It is decided and written down; the ledger is being told. Withdrawals wait already. */
  OPENING: ['ACTIVE', 'FAILED'],
  ACTIVE: ['SUCCESS', 'FAILED', 'CLEARING'],
  /** The member gives it up, or its time is over: what goes back is fixed, the ledger is being told. */
  CLEARING: ['CANCELLED', 'EXPIRED', 'ACTIVE'],
  SUCCESS: [],
  FAILED: [],
  CANCELLED: [],
  EXPIRED: [],
} as const;
export type ConditionState = keyof typeof conditionTransitions;
/** How a condition ends. But for CANCELLED it ends by itself. */
export const conditionEnds = finalStates(conditionTransitions);
export const conditionStates = statesOf(conditionTransitions);

/** Money of an incentive on its way into the wallet. */
export const grantTransitions = {
  /** Everything that entitles to it is used up in the same commit; the ledger is being told. */
  OPEN: ['PAID'],
  PAID: [],
} as const;
export type GrantState = keyof typeof grantTransitions;

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
  /** The provider is asked to open it, or a call of that kind was lost. */
  OPENING: ['ACTIVE'],
  ACTIVE: [],
} as const;
export type GameAccountState = keyof typeof gameAccountTransitions;

/** A seed of the spin wheel: its hash is shown before the first draw, the seed itself after the last. */
export const seedTransitions = {
  NEXT: ['CURRENT'],
  CURRENT: ['REVEALED'],
  REVEALED: [],
} as const;
export type SeedState = keyof typeof seedTransitions;

/** A one-time code. */
export const otpTransitions = {
  /** The gateway has not answered yet. */
  sending: ['live'],
  /** The one code that counts for its phone. */
  live: ['replaced', 'consumed', 'blocked'],
  replaced: [],
  consumed: [],
  blocked: [],
} as const;
export type OtpState = keyof typeof otpTransitions;
