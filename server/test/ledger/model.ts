import type { Operation, RejectionReason } from '../../src/ledger/types.ts';

type Account = { posted: bigint; held: bigint };
type Hold = { debit: string; credit: string; amount: bigint; state: 'pending' | 'posted' | 'voided' | 'rejected' };
type Books = { accounts: Map<string, Account>; holds: Map<string, Hold> };
type Judgement = { amount: bigint; reason?: RejectionReason };
type First = Judgement & { request: string };
export type Answer = Judgement & {
  outcome: 'applied' | 'rejected' | 'conflict';
  replayed: boolean;
  balances: { debit?: Account; credit?: Account };
};

const nameOf = (account: Operation['debit']): string =>
  'member' in account ? `${account.member}/${account.kind}` : `house:${account.house}`;
const isMember = (name: string): boolean => !name.startsWith('house:');
const requestOf = (operation: Operation): string =>
  JSON.stringify(operation, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** The ledger as it is meant, in memory and one group at a time: what the real one is compared with. */
export class Model {
  #books: Books = { accounts: new Map(), holds: new Map() };
  readonly #firsts = new Map<string, First>();

  /** Posts one group and returns the expected reply of the ledger. */
  post(operations: readonly Operation[]): Answer[] {
    const firsts = operations.map(({ key }) => this.#firsts.get(key));
    if (firsts.some((first) => first !== undefined)) return this.#replay(operations, firsts);
    const before = structuredClone(this.#books);
    const judged: Judgement[] = [];
    for (const operation of operations) {
      judged.push(this.#judge(operation));
      if (judged.at(-1)?.reason) break;
    }
    const failed = judged.at(-1)?.reason ? judged.length - 1 : -1;
    if (failed >= 0) this.#refuse(operations, judged, failed, before);
    for (const [at, operation] of operations.entries()) {
      this.#firsts.set(operation.key, { ...(judged[at] as Judgement), request: requestOf(operation) });
    }
    const outcome = failed < 0 ? 'applied' : 'rejected';
    return operations.map((operation, at) => ({
      ...(judged[at] as Judgement),
      outcome,
      replayed: false,
      balances: this.#balances(operation),
    }));
  }

  free(member: string, kind: string): bigint {
    const { posted, held } = this.#account(`${member}/${kind}`);
    return posted - held;
  }

  #replay(operations: readonly Operation[], firsts: (First | undefined)[]): Answer[] {
    const clash = firsts.some((first, at) => first?.request !== requestOf(operations[at] as Operation));
    return operations.map((operation, at) => {
      const { amount = 0n, reason } = firsts[at] ?? {};
      const common = { amount, replayed: true, balances: this.#balances(operation) };
      if (clash) return { ...common, amount: 0n, outcome: 'conflict', reason: 'key_reused' };
      return reason ? { ...common, outcome: 'rejected', reason } : { ...common, outcome: 'applied' };
    });
  }

  #judge(operation: Operation): Judgement {
    const [debit, credit] = [nameOf(operation.debit), nameOf(operation.credit)];
    if (operation.type === 'adjust') {
      const [member, house] = isMember(debit) ? [debit, credit] : [credit, debit];
      const amount = operation.target - this.#account(member).posted;
      if (amount < 0n && operation.target < this.#account(member).held) return { amount, reason: 'insufficient' };
      this.#move(house, member, amount);
      return { amount };
    }
    if (operation.type === 'post' || operation.type === 'void') {
      return this.#resolve(operation, debit, credit);
    }
    if (operation.type === 'mark') return { amount: 0n };
    const { amount, key, type } = operation as Operation & { type: 'transfer' | 'hold' };
    if (isMember(debit) && this.#free(debit) < amount) return { amount, reason: 'insufficient' };
    if (type === 'transfer') this.#move(debit, credit, amount);
    else {
      this.#account(debit).held += amount;
      this.#books.holds.set(key, { debit, credit, amount, state: 'pending' });
    }
    return { amount };
  }

  #resolve(operation: Operation & { type: 'post' | 'void' }, debit: string, credit: string): Judgement {
    const hold = this.#books.holds.get(operation.pendingKey);
    const asked = operation.amount ?? 0n;
    if (!hold) return { amount: asked, reason: 'not_found' };
    if (hold.state !== 'pending') return { amount: asked, reason: 'not_pending' };
    if (hold.debit !== debit || hold.credit !== credit || (asked > 0n && asked !== hold.amount)) {
      return { amount: asked, reason: 'mismatch' };
    }
    this.#account(debit).held -= hold.amount;
    if (operation.type === 'post') this.#move(debit, credit, hold.amount);
    hold.state = operation.type === 'post' ? 'posted' : 'voided';
    return { amount: hold.amount };
  }

  #refuse(operations: readonly Operation[], judged: Judgement[], failed: number, before: Books): void {
    this.#books = before;
    for (const [at, operation] of operations.entries()) {
      const asked = operation.type === 'adjust' ? 0n : (operation.amount ?? 0n);
      if (at !== failed) judged[at] = { amount: judged[at]?.amount ?? asked, reason: 'linked' };
      const hold = { debit: nameOf(operation.debit), credit: nameOf(operation.credit), amount: asked };
      if (operation.type === 'hold') this.#books.holds.set(operation.key, { ...hold, state: 'rejected' });
    }
  }

  #balances(operation: Operation): Answer['balances'] {
    const [debit, credit] = [nameOf(operation.debit), nameOf(operation.credit)];
    return {
      ...(isMember(debit) ? { debit: { ...this.#account(debit) } } : {}),
      ...(isMember(credit) ? { credit: { ...this.#account(credit) } } : {}),
    };
  }

  #move(debit: string, credit: string, amount: bigint): void {
    this.#account(debit).posted -= amount;
    this.#account(credit).posted += amount;
  }

  #free(name: string): bigint {
    const { posted, held } = this.#account(name);
    return posted - held;
  }

  #account(name: string): Account {
    const account = this.#books.accounts.get(name) ?? { posted: 0n, held: 0n };
    this.#books.accounts.set(name, account);
    return account;
  }
}
