import type { Protocol } from '../games/game-server.ts';
import type { Provider } from '../games/providers.ts';
import type { Gateway } from '../gateways/gateway.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';

export const CALL_FAULTS = [
  'decline',
  'timeout-applied',
  'timeout-lost',
  'garbage',
  'error-500',
  'slow',
  'duplicate-reference',
  'absent',
  'unknown-player',
  'unlisted-code',
] as const;
export const CALLBACK_FAULTS = ['callback-twice', 'callback-late', 'callback-early', 'callback-forged'] as const;

/** Faults of one target only, named as in its protocol. */
export const SPECIAL_FAULTS = [
  'line-late',
  'line-twice',
  'payout-failed',
  'bank-down',
  'captcha',
  'delayed',
  'blocked',
  'internal-error',
  'not-found',
  'gone',
  'too-large',
  'too-many',
  'bad-token',
  'unregistered',
] as const;

type CallKind = (typeof CALL_FAULTS)[number];
export type SpecialKind = (typeof SPECIAL_FAULTS)[number];
type CallbackKind = (typeof CALLBACK_FAULTS)[number];
export type FaultKind = CallKind | CallbackKind | SpecialKind;

/**
 * A queued fault. `call` null: the default calls of the target, or the default event of a callback. `amount` in satang.
 */
export type Fault = {
  id: number;
  target: string;
  fault: FaultKind;
  call: string | null;
  left: number;
  delayMs: number | null;
  applied: boolean | null;
  amount: number | null;
};

/** A fault in the reply to a call. */
export type CallFault = Fault & { fault: CallKind };

function isCallFault(fault: Fault): fault is CallFault {
  return CALL_FAULTS.some((callKind) => callKind === fault.fault);
}

/**
 * What faults can apply to at a target. `events`: events that trigger callbacks; a fault without an event applies to
 * the first. `referenced`: calls that take our reference. `checks`: calls that return the outcome of a reference.
 * `coded`: calls that can reply with an undocumented code.
 */
type FaultTarget = {
  hitByDefault: readonly string[];
  others: readonly string[];
  referenced?: readonly string[];
  checks?: readonly string[];
  coded?: readonly string[];
  events?: readonly string[];
  special?: readonly SpecialKind[];
};

/** Targets other than gateways, with their calls as named in the wire protocols. */
const FAULT_TARGETS: Readonly<Record<string, FaultTarget>> = {
  sms: { hitByDefault: ['send'], others: ['credit'] },
  bank: {
    hitByDefault: ['pay-qr', 'transfer', 'payouts', 'slip-lookup'],
    others: ['feed', 'payout-status'],
    events: ['line', 'payout'],
    special: ['line-late', 'line-twice', 'payout-failed', 'bank-down', 'captcha', 'delayed'],
  },
  'chat-backend': { hitByDefault: ['messages'], others: ['status'] },
  push: {
    hitByDefault: ['send'],
    others: [],
    special: ['not-found', 'gone', 'too-large', 'too-many', 'bad-token', 'unregistered'],
  },
  'wallet-app': {
    hitByDefault: ['redeem', 'transfer', 'gift'],
    others: ['verify', 'transactions'],
    events: ['payment'],
    special: ['blocked', 'internal-error'],
  },
};

type FaultRow = Omit<Fault, 'applied'> & { applied: number | null };

const FAULT_COLUMNS = 'id, target, fault, call, left, delay_ms as delayMs, applied, amount';

function asFault(row: FaultRow): Fault {
  return { ...row, applied: row.applied === null ? null : row.applied === 1 };
}

/** The queue of ordered faults, which survives a restart. */
export class Faults {
  readonly #store: Store;
  readonly #targets: Readonly<Record<string, FaultTarget>>;

  constructor(store: Store, gateways: readonly Gateway[], protocols: ReadonlyMap<Provider, Protocol>) {
    this.#store = store;
    const gatewayTargets = gateways.map(({ name, calls }): [string, FaultTarget] => [
      name,
      { hitByDefault: [calls.issue], others: calls.others, events: [calls.issue, 'payment'] },
    ]);
    const providerTargets = [...protocols].map(([provider, { calls }]): [string, FaultTarget] => [
      `game:${provider}`,
      { hitByDefault: calls.moving, coded: calls.moving, ...calls },
    ]);
    this.#targets = { ...FAULT_TARGETS, ...Object.fromEntries([...gatewayTargets, ...providerTargets]) };
  }

  /** Queues a fault. @throws Refusal for an invalid combination of target, call and fault */
  add(order: Omit<Fault, 'id'>): Fault {
    const target = Object.hasOwn(this.#targets, order.target) ? this.#targets[order.target] : undefined;
    if (!target) throw new Refusal(400, 'unknown_target', `There is no target ${order.target}`);
    const calls = callsOf(order.fault, target);
    if (!calls) throw new Refusal(400, 'unknown_fault', `${order.target} doesn't know the fault ${order.fault}`);
    if (order.call !== null && !calls.includes(order.call)) {
      throw new Refusal(400, 'unknown_call', `${order.target} has no call ${order.call} that ${order.fault} could hit`);
    }
    const { id } = this.#store.run(
      'insert into fault (target, fault, call, left, delay_ms, applied, amount) values (?, ?, ?, ?, ?, ?, ?)',
      order.target,
      order.fault,
      order.call,
      order.left,
      order.delayMs,
      order.applied === null ? null : Number(order.applied),
      order.amount,
    );
    return { ...order, id };
  }

  list(): Fault[] {
    return this.#store.all<FaultRow>(`select ${FAULT_COLUMNS} from fault where left > 0 order by id`).map(asFault);
  }

  clear(target: string | undefined): void {
    if (target === undefined) this.#store.run('delete from fault');
    else this.#store.run('delete from fault where target = ?', target);
  }

  /** Takes the oldest queued fault of a call, if any. */
  takeForCall(target: string, call: string): CallFault | undefined {
    const matchingFault = this.#take(target, (fault) => {
      const faultTarget = this.#targets[target];
      if (!isCallFault(fault) || !faultTarget) return false;
      const fittingCalls = callsFitting(fault.fault, faultTarget);
      if (fault.call === null) return (fittingCalls ?? faultTarget.hitByDefault).includes(call);
      return fault.call === 'any' ? (fittingCalls?.includes(call) ?? true) : fault.call === call;
    });
    return matchingFault && isCallFault(matchingFault) ? matchingFault : undefined;
  }

  /** Takes the oldest callback fault of this kind for an event: an issued code, or a payment. */
  takeForCallback(target: string, kind: CallbackKind, event: 'issue' | 'payment'): Fault | undefined {
    const defaultEvent = kind === 'callback-twice' || kind === 'callback-late' ? 'payment' : 'issue';
    const eventOf = (call: string | null) => (call === null ? defaultEvent : call === 'payment' ? 'payment' : 'issue');
    return this.#take(target, (fault) => fault.fault === kind && eventOf(fault.call) === event);
  }

  /** Takes the oldest fault of this kind for an event of a target other than a gateway. */
  takeForEvent(target: string, kind: CallbackKind | SpecialKind, event: string): Fault | undefined {
    const defaultEvent = CALLBACK_FAULTS.some((callbackKind) => callbackKind === kind)
      ? this.#targets[target]?.events?.[0]
      : event;
    return this.#take(target, (fault) => fault.fault === kind && (fault.call ?? defaultEvent) === event);
  }

  #take(target: string, matches: (fault: Fault) => boolean): Fault | undefined {
    const rows = this.#store.all<FaultRow>(
      `select ${FAULT_COLUMNS} from fault where target = ? and left > 0 order by id`,
      target,
    );
    const matchingFault = rows.map(asFault).find(matches);
    if (matchingFault) this.#store.run('update fault set left = left - 1 where id = ?', matchingFault.id);
    return matchingFault;
  }
}

/** The calls or events that a fault can name at a target; undefined when the target does not support the fault. */
function callsOf(fault: FaultKind, target: FaultTarget): readonly string[] | undefined {
  if (CALLBACK_FAULTS.some((callbackKind) => callbackKind === fault)) return target.events;
  if (SPECIAL_FAULTS.some((specialKind) => specialKind === fault)) {
    return target.special?.some((specialKind) => specialKind === fault)
      ? [...target.hitByDefault, ...target.others]
      : undefined;
  }
  const allowedCalls = callsFitting(fault, target) ?? [...target.hitByDefault, ...target.others];
  return allowedCalls.length > 0 ? ['any', ...allowedCalls] : undefined;
}

/** The calls to which a restricted fault applies, possibly none; undefined for faults that apply to every call. */
function callsFitting(fault: FaultKind, target: FaultTarget): readonly string[] | undefined {
  if (fault === 'duplicate-reference') return target.referenced ?? [];
  if (fault === 'unlisted-code') return target.coded ?? [];
  return fault === 'absent' || fault === 'unknown-player' ? (target.checks ?? []) : undefined;
}
