import type { Gateway } from '../gateways/gateway.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';

export const CALL_FAULTS = ['decline', 'timeout-applied', 'timeout-lost', 'garbage', 'error-500', 'slow'] as const;
export const CALLBACK_FAULTS = ['callback-twice', 'callback-late', 'callback-early', 'callback-forged'] as const;

export type FaultKind = (typeof CALL_FAULTS)[number] | (typeof CALLBACK_FAULTS)[number];

/** One order to misbehave. `call` null means the calls that move or create something; `amount` is satang. */
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

type Target = { hitByDefault: readonly string[]; others: readonly string[]; callbacks: boolean };

/** The targets that are no gateways, with their calls by the names of the wire protocols. */
const TARGETS: Readonly<Record<string, Target>> = {
  sms: { hitByDefault: ['send'], others: [], callbacks: false },
  bank: { hitByDefault: ['pay-qr', 'transfer'], others: [], callbacks: false },
  'game:pg': {
    hitByDefault: ['Create', 'SetPassword', 'TransferIn', 'TransferOut', 'TransferAllOut'],
    others: ['GetPlayerWallet', 'GetSingleTransaction', 'LoginGame', 'Kick'],
    callbacks: false,
  },
  'game:askmebet': {
    hitByDefault: ['create', 'deposit', 'withdraw', 'reset-password'],
    others: ['credit'],
    callbacks: false,
  },
};

type Row = Omit<Fault, 'applied'> & { applied: number | null };

const COLUMNS = 'id, target, fault, call, left, delay_ms as delayMs, applied, amount';

function asFault(row: Row): Fault {
  return { ...row, applied: row.applied === null ? null : row.applied === 1 };
}

/** The queue of ordered misbehaviour; it survives a restart like everything else. */
export class Faults {
  readonly #store: Store;
  readonly #targets: Readonly<Record<string, Target>>;

  constructor(store: Store, gateways: readonly Gateway[]) {
    this.#store = store;
    const ofGateways = gateways.map(({ name, calls }): [string, Target] => [
      name,
      { hitByDefault: [calls.issue], others: calls.others, callbacks: true },
    ]);
    this.#targets = { ...TARGETS, ...Object.fromEntries(ofGateways) };
  }

  /** Puts a fault in line. @throws Refusal when target, call or fault don't fit together */
  add(order: Omit<Fault, 'id'>): Fault {
    const target = Object.hasOwn(this.#targets, order.target) ? this.#targets[order.target] : undefined;
    if (!target) throw new Refusal(400, 'unknown_target', `There is no target ${order.target}`);
    const isCallback = CALLBACK_FAULTS.some((kind) => kind === order.fault);
    if (isCallback && !target.callbacks) {
      throw new Refusal(400, 'unknown_fault', `${order.target} sends no callbacks`);
    }
    const calls = isCallback ? [...target.hitByDefault, 'payment'] : ['any', ...target.hitByDefault, ...target.others];
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

  /** Uses up the oldest fault of a call, if one waits. */
  takeForCall(target: string, call: string): Fault | undefined {
    return this.#take(target, (fault) => {
      if (!CALL_FAULTS.some((kind) => kind === fault.fault)) return false;
      if (fault.call === null) return this.#targets[target]?.hitByDefault.includes(call) ?? false;
      return fault.call === 'any' || fault.call === call;
    });
  }

  /** Uses up the oldest callback fault of this kind for an event: a code that is issued, or a payment. */
  takeForCallback(
    target: string,
    kind: (typeof CALLBACK_FAULTS)[number],
    event: 'issue' | 'payment',
  ): Fault | undefined {
    const usual = kind === 'callback-twice' || kind === 'callback-late' ? 'payment' : 'issue';
    const eventOf = (call: string | null) => (call === null ? usual : call === 'payment' ? 'payment' : 'issue');
    return this.#take(target, (fault) => fault.fault === kind && eventOf(fault.call) === event);
  }

  #take(target: string, matches: (fault: Fault) => boolean): Fault | undefined {
    const rows = this.#store.all<Row>(`select ${COLUMNS} from fault where target = ? and left > 0 order by id`, target);
    const found = rows.map(asFault).find(matches);
    if (found) this.#store.run('update fault set left = left - 1 where id = ?', found.id);
    return found;
  }
}
