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

/** Faults of one target, by the names of its protocol. */
export const SPECIAL_FAULTS = [
  'line-late',
  'line-twice',
  'payout-failed',
  'bank-down',
  'captcha',
  'delayed',
  'blocked',
  'internal-error',
] as const;

type CallKind = (typeof CALL_FAULTS)[number];
type SpecialKind = (typeof SPECIAL_FAULTS)[number];
type CallbackKind = (typeof CALLBACK_FAULTS)[number];
export type FaultKind = CallKind | CallbackKind | SpecialKind;

/** A configured fault. `call` null: the default calls of the target, or the default event of a callback. `amount` in satang. */
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

/** A fault in answering a call. */
export type CallFault = Fault & { fault: CallKind };

function isOfCall(fault: Fault): fault is CallFault {
  return CALL_FAULTS.some((kind) => kind === fault.fault);
}

/**
 * `events`: events that trigger callbacks; a fault that names none means the first one. `referenced`: the calls that
 * take our reference; `checks`: those that return the outcome of one; `coded`: those that can answer with an
 * undocumented code.
 */
type Target = {
  hitByDefault: readonly string[];
  others: readonly string[];
  referenced?: readonly string[];
  checks?: readonly string[];
  coded?: readonly string[];
  events?: readonly string[];
  special?: readonly SpecialKind[];
};

/** The targets that are no gateways, with their calls by the names of the wire protocols. */
const TARGETS: Readonly<Record<string, Target>> = {
  sms: { hitByDefault: ['send'], others: [] },
  bank: {
    hitByDefault: ['pay-qr', 'transfer', 'payouts', 'slip-lookup'],
    others: ['feed', 'payout-status'],
    events: ['line', 'payout'],
    special: ['line-late', 'line-twice', 'payout-failed', 'bank-down', 'captcha', 'delayed'],
  },
  'chat-backend': { hitByDefault: ['messages'], others: [] },
  'wallet-app': {
    hitByDefault: ['redeem', 'transfer', 'gift'],
    others: ['verify', 'transactions'],
    events: ['payment'],
    special: ['blocked', 'internal-error'],
  },
};

type Row = Omit<Fault, 'applied'> & { applied: number | null };

const COLUMNS = 'id, target, fault, call, left, delay_ms as delayMs, applied, amount';

function asFault(row: Row): Fault {
  return { ...row, applied: row.applied === null ? null : row.applied === 1 };
}

/** The queue of ordered faults; it survives a restart like everything else. */
export class Faults {
  readonly #store: Store;
  readonly #targets: Readonly<Record<string, Target>>;

  constructor(store: Store, gateways: readonly Gateway[], protocols: ReadonlyMap<Provider, Protocol>) {
    this.#store = store;
    const ofGateways = gateways.map(({ name, calls }): [string, Target] => [
      name,
      { hitByDefault: [calls.issue], others: calls.others, events: [calls.issue, 'payment'] },
    ]);
    const ofProviders = [...protocols].map(([provider, { calls }]): [string, Target] => [
      `game:${provider}`,
      { hitByDefault: calls.moving, coded: calls.moving, ...calls },
    ]);
    this.#targets = { ...TARGETS, ...Object.fromEntries([...ofGateways, ...ofProviders]) };
  }

  /** Queues a fault. @throws Refusal when target, call or fault don't fit together */
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
    return this.#store.all<Row>(`select ${COLUMNS} from fault where left > 0 order by id`).map(asFault);
  }

  clear(target: string | undefined): void {
    if (target === undefined) this.#store.run('delete from fault');
    else this.#store.run('delete from fault where target = ?', target);
  }

  /** Takes the oldest queued fault of a call, if any. */
  takeForCall(target: string, call: string): CallFault | undefined {
    const found = this.#take(target, (fault) => {
      const known = this.#targets[target];
      if (!isOfCall(fault) || !known) return false;
      const fitting = callsFitting(fault.fault, known);
      if (fault.call === null) return (fitting ?? known.hitByDefault).includes(call);
      return fault.call === 'any' ? (fitting?.includes(call) ?? true) : fault.call === call;
    });
    return found && isOfCall(found) ? found : undefined;
  }

  /** Takes the oldest callback fault of this kind for an event: a code that is issued, or a payment. */
  takeForCallback(target: string, kind: CallbackKind, event: 'issue' | 'payment'): Fault | undefined {
    const defaultEvent = kind === 'callback-twice' || kind === 'callback-late' ? 'payment' : 'issue';
    const eventOf = (call: string | null) => (call === null ? defaultEvent : call === 'payment' ? 'payment' : 'issue');
    return this.#take(target, (fault) => fault.fault === kind && eventOf(fault.call) === event);
  }

  /** Takes the oldest fault of this kind for an event of a target other than a gateway. */
  takeForEvent(target: string, kind: CallbackKind | SpecialKind, event: string): Fault | undefined {
    const defaultEvent = CALLBACK_FAULTS.some((known) => known === kind) ? this.#targets[target]?.events?.[0] : event;
    return this.#take(target, (fault) => fault.fault === kind && (fault.call ?? defaultEvent) === event);
  }

  #take(target: string, matches: (fault: Fault) => boolean): Fault | undefined {
    const rows = this.#store.all<Row>(`select ${COLUMNS} from fault where target = ? and left > 0 order by id`, target);
    const found = rows.map(asFault).find(matches);
    if (found) this.#store.run('update fault set left = left - 1 where id = ?', found.id);
    return found;
  }
}

/** The calls or events that a fault can name at a target; undefined when the target doesn't know it at all. */
function callsOf(fault: FaultKind, target: Target): readonly string[] | undefined {
  if (CALLBACK_FAULTS.some((kind) => kind === fault)) return target.events;
  if (SPECIAL_FAULTS.some((kind) => kind === fault)) {
    return target.special?.some((kind) => kind === fault) ? [...target.hitByDefault, ...target.others] : undefined;
  }
  const calls = callsFitting(fault, target) ?? [...target.hitByDefault, ...target.others];
  return calls.length > 0 ? ['any', ...calls] : undefined;
}

/** The calls that a restricted fault applies to, possibly none; undefined for faults that apply to every call. */
function callsFitting(fault: FaultKind, target: Target): readonly string[] | undefined {
  if (fault === 'duplicate-reference') return target.referenced ?? [];
  if (fault === 'unlisted-code') return target.coded ?? [];
  return fault === 'absent' || fault === 'unknown-player' ? (target.checks ?? []) : undefined;
}
