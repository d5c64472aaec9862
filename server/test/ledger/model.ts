import type { Operation, RejectionReason } from '../../src/ledger/types.ts';

type ModelAccount = { posted: bigint; held: bigint };
type ModelHold = { debit: string; credit: string; amount: bigint; state: 'pending' | 'posted' | 'voided' | 'rejected' };
type ModelBooks = { accounts: Map<string, ModelAccount>; holds: Map<string, ModelHold> };
type ModelJudgement = { amount: bigint; reason?: RejectionReason };
type FirstRequest = ModelJudgement & { request: string };
export type ModelReply = ModelJudgement & {
  outcome: 'applied' | 'rejected' | 'conflict';
  replayed: boolean;
  balances: { debit?: ModelAccount; credit?: ModelAccount };
};

const nameOf = (account: Operation['debit']): string =>
  'member' in account ? `${account.member}/${account.kind}` : `house:${account.houseAccount}`;
const isMember = (name: string): boolean => !name.startsWith('house:');
const requestOf = (operation: Operation): string =>
  JSON.stringify(operation, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** Reference model of the ledger, in memory and one group at a time. */
export class LedgerModel {
  #books: ModelBooks = { accounts: new Map(), holds: new Map() };
  readonly #firsts = new Map<string, FirstRequest>();

  /** Posts one group and returns the expected reply of the ledger. */
  post(operations: readonly Operation[]): ModelReply[] {
    const firstRequests = operations.map(({ key }) => this.#firsts.get(key));
    if (firstRequests.some((first) => first !== undefined)) return this.#replay(operations, firstRequests);
    const before = structuredClone(this.#books);
    const judgements: ModelJudgement[] = [];
    for (const operation of operations) {
      judgements.push(this.#judge(operation));
      if (judgements.at(-1)?.reason) break;
    }
    const failedIndex = judgements.at(-1)?.reason ? judgements.length - 1 : -1;
    if (failedIndex >= 0) this.#refuse(operations, judgements, failedIndex, before);
    for (const [index, operation] of operations.entries()) {
      this.#firsts.set(operation.key, { ...(judgements[index] as ModelJudgement), request: requestOf(operation) });
    }
    const outcome = failedIndex < 0 ? 'applied' : 'rejected';
    return operations.map((operation, position) => ({
      ...(judgements[position] as ModelJudgement),
      outcome,
      replayed: false,
      balances: this.#balances(operation),
    }));
  }

  free(member: string, kind: string): bigint {
    const { posted, held } = this.#account(`${member}/${kind}`);
    return posted - held;
  }

  #replay(operations: readonly Operation[], firstRequests: (FirstRequest | undefined)[]): ModelReply[] {
    const isConflict = firstRequests.some(
      (first, index) => first?.request !== requestOf(operations[index] as Operation),
    );
    return operations.map((operation, index) => {
      const { amount = 0n, reason } = firstRequests[index] ?? {};
      const replayFields = { amount, replayed: true, balances: this.#balances(operation) };
      if (isConflict) return { ...replayFields, amount: 0n, outcome: 'conflict', reason: 'key_reused' };
      return reason ? { ...replayFields, outcome: 'rejected', reason } : { ...replayFields, outcome: 'applied' };
    });
  }

  #judge(operation: Operation): ModelJudgement {
    const [debit, credit] = [nameOf(operation.debit), nameOf(operation.credit)];
    if (operation.type === 'adjust') {
      const [member, houseAccount] = isMember(debit) ? [debit, credit] : [credit, debit];
      const amount = operation.target - this.#account(member).posted;
      if (amount < 0n && operation.target < this.#account(member).held) return { amount, reason: 'insufficient' };
      this.#move(houseAccount, member, amount);
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

  #resolve(operation: Operation & { type: 'post' | 'void' }, debit: string, credit: string): ModelJudgement {
    const hold = this.#books.holds.get(operation.pendingKey);
    const requestedAmount = operation.amount ?? 0n;
    if (!hold) return { amount: requestedAmount, reason: 'not_found' };
    if (hold.state !== 'pending') return { amount: requestedAmount, reason: 'not_pending' };
    if (hold.debit !== debit || hold.credit !== credit || (requestedAmount > 0n && requestedAmount !== hold.amount)) {
      return { amount: requestedAmount, reason: 'mismatch' };
    }
    this.#account(debit).held -= hold.amount;
    if (operation.type === 'post') this.#move(debit, credit, hold.amount);
    hold.state = operation.type === 'post' ? 'posted' : 'voided';
    return { amount: hold.amount };
  }

  #refuse(
    operations: readonly Operation[],
    judgements: ModelJudgement[],
    failedIndex: number,
    before: ModelBooks,
  ): void {
    this.#books = before;
    for (const [index, operation] of operations.entries()) {
      const requestedAmount = operation.type === 'adjust' ? 0n : (operation.amount ?? 0n);
      if (index !== failedIndex)
        judgements[index] = { amount: judgements[index]?.amount ?? requestedAmount, reason: 'linked' };
      const hold = { debit: nameOf(operation.debit), credit: nameOf(operation.credit), amount: requestedAmount };
      if (operation.type === 'hold') this.#books.holds.set(operation.key, { ...hold, state: 'rejected' });
    }
  }

  #balances(operation: Operation): ModelReply['balances'] {
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

  #account(name: string): ModelAccount {
    const account = this.#books.accounts.get(name) ?? { posted: 0n, held: 0n };
    this.#books.accounts.set(name, account);
    return account;
  }
}
