import fc from 'fast-check';
import type { LedgerCommand } from '../../../src/ledger/index.ts';
import { closing, type Game, GAMES, type Opening, opening, refresh } from './books.ts';

type Route = readonly [Game | 'WALLET', Game | 'WALLET'];
type Purse = { posted: bigint; held: bigint };
type State = 'QUEUED' | 'SENT' | 'DONE' | 'REVERSED';
type Known = { opening: Opening; states: State[]; words: string[] };
type Read = { version: bigint | null; cash: bigint | null };
type End = { to: 'DONE' | 'REVERSED'; balance: bigint | null; goesOn: boolean };

/** A posted command in the model. */
export type Act = { member: string } & (
  | { kind: 'open'; command: LedgerCommand; opening: Opening; read: Read }
  | { kind: 'close'; command: LedgerCommand; opening: Opening; leg: 1 | 2; end: End }
  | { kind: 'refresh'; command: LedgerCommand; game: Game; version: bigint; target: bigint }
  | { kind: 'deposit' | 'payout'; amount: bigint }
);

const ROUTES: readonly Route[] = [
  ['WALLET', 'alpha'],
  ['WALLET', 'beta'],
  ['alpha', 'WALLET'],
  ['beta', 'WALLET'],
  ['alpha', 'beta'],
  ['beta', 'alpha'],
];

const drawnAct = fc.record({
  kind: fc.constantFrom('open', 'open', 'close', 'close', 'close', 'repeat', 'refresh', 'deposit', 'payout'),
  route: fc.constantFrom(...ROUTES),
  amount: fc.bigInt({ min: 1n, max: 700n }),
  cash: fc.bigInt({ min: 0n, max: 900n }),
  which: fc.nat(50),
  isStale: fc.constantFrom(false, false, false, true),
  sharesKey: fc.constantFrom(false, false, false, false, true),
  to: fc.constantFrom<'DONE' | 'REVERSED'>('DONE', 'DONE', 'REVERSED'),
  isReported: fc.boolean(),
  goesOn: fc.boolean(),
});
type DrawnAct = typeof drawnAct extends fc.Arbitrary<infer T> ? T : never;

/** A member's acts: one at a time, the same twice concurrently (twin), or two different ones concurrently (pair). */
export const drawnActs = () =>
  fc.array(
    fc.record({
      first: drawnAct,
      second: drawnAct,
      isPair: fc.constantFrom('no', 'no', 'twin', 'pair'),
      at: fc.nat(1),
    }),
    { minLength: 5, maxLength: 30 },
  );

/** Builds an act from random values, for the member's state in the model. */
export function actOf(model: CommandModel, drawn: DrawnAct): Act {
  const { member, past } = model;
  const repeated = past[drawn.which % Math.max(1, past.length)];
  if (drawn.kind === 'repeat' && repeated) return repeated;
  const known = model.known[model.known.length - 1 - (drawn.which % Math.max(1, Math.min(3, model.known.length)))];
  if (drawn.kind === 'deposit' || drawn.kind === 'payout') return { member, kind: drawn.kind, amount: drawn.amount };
  if (drawn.kind === 'close' && known) return closeOf(member, known, drawn);
  if (drawn.kind === 'refresh') {
    const game = GAMES[drawn.which % 2] as Game;
    const version = model.versions[game] - (drawn.isStale ? 1n : 0n);
    const command = refresh(member, game, version, drawn.cash);
    return { member, kind: 'refresh', command, game, version, target: drawn.cash };
  }
  const [source] = drawn.route;
  const read: Read =
    source === 'WALLET'
      ? { version: null, cash: null }
      : { version: model.versions[source] - (drawn.isStale ? 1n : 0n), cash: drawn.cash };
  const key = drawn.sharesKey && known ? { key: known.opening.key } : {};
  const made = opening(member, drawn.route, drawn.amount, { ...read, ...key });
  return { member, kind: 'open', command: made.command, opening: made, read };
}

function closeOf(member: string, { opening: made, states }: Known, drawn: DrawnAct): Act {
  const { to, isReported, cash, goesOn, which } = drawn;
  const [first, second] = made.legs;
  if (!first) throw new Error('a transfer without legs');
  // Mostly the pending leg; sometimes the other one.
  const isSecond = (states[0] === 'DONE') !== (which % 5 === 0);
  const leg = second && isSecond ? 2 : 1;
  const end: End = {
    to,
    balance: to === 'DONE' && isReported ? cash : null,
    goesOn: goesOn && leg === 1 && to === 'DONE',
  };
  const closed = leg === 2 && second ? { ...second, state: 'SENT' as const } : first;
  const command = closing(closed, to, { balance: end.balance, ...(end.goesOn && second ? { second } : {}) });
  return {
    member,
    kind: 'close',
    command,
    opening: made,
    leg,
    end: { ...end, goesOn: end.goesOn && second !== undefined },
  };
}

/** Expected rows, money and outcomes of one member. */
export class CommandModel {
  readonly member: string;
  known: Known[] = [];
  /** Acts with a repeatable command. */
  past: Act[] = [];
  purses: Record<Game | 'WALLET', Purse>;
  versions: Record<Game, bigint> = { alpha: 0n, beta: 0n };
  busy: Record<Game, string | null> = { alpha: null, beta: null };

  constructor(member: string, wallet: bigint) {
    this.member = member;
    this.purses = {
      WALLET: { posted: wallet, held: 0n },
      alpha: { posted: 0n, held: 0n },
      beta: { posted: 0n, held: 0n },
    };
  }

  copy(): CommandModel {
    const made = new CommandModel(this.member, 0n);
    made.known = this.known.map((one) => ({ ...one, states: [...one.states], words: [...one.words] }));
    made.past = [...this.past];
    made.purses = structuredClone(this.purses);
    made.versions = { ...this.versions };
    made.busy = { ...this.busy };
    return made;
  }

  /** @returns the outcome of a command, the outcome of an operation */
  apply(act: Act): string {
    switch (act.kind) {
      case 'deposit':
        this.purses.WALLET.posted += act.amount;
        return 'applied';
      case 'payout':
        if (this.#free('WALLET') < act.amount) return 'rejected';
        this.purses.WALLET.posted -= act.amount;
        return 'applied';
      case 'refresh':
        this.past.push(act);
        return this.#refresh(act.game, act.version, act.target);
      case 'open':
        this.past.push(act);
        return this.#open(act.opening, act.read);
      case 'close':
        this.past.push(act);
        return this.#close(act.opening, act.leg, act.end);
    }
  }

  written(): { money: Record<string, [bigint, bigint]>; legs: Record<string, string>; busy: CommandModel['busy'] } {
    const money: Record<string, [bigint, bigint]> = {};
    for (const [name, { posted, held }] of Object.entries(this.purses)) {
      if (posted !== 0n || held !== 0n) money[name === 'WALLET' ? name : `GAME:${name}`] = [posted - held, held];
    }
    const legs = Object.fromEntries(
      this.known.flatMap(({ opening: { legs: own }, states, words }) =>
        own.map(({ providerReference }, index) => [
          providerReference,
          [states[index], words[index]].filter(Boolean).join(' '),
        ]),
      ),
    );
    return { money, legs, busy: this.busy };
  }

  #free(name: Game | 'WALLET'): bigint {
    const { posted, held } = this.purses[name];
    return posted - held;
  }

  #release(game: string, reference: string): void {
    if (this.busy[game as Game] !== reference) return;
    this.busy[game as Game] = null;
    this.versions[game as Game] += 1n;
  }

  #refresh(game: Game, version: bigint, target: bigint): string {
    if (this.versions[game] !== version || this.busy[game] !== null) return 'stale_read';
    this.versions[game] += 1n;
    this.purses[game].posted = target;
    return 'applied';
  }

  #open(made: Opening, read: Read): string {
    const { key, transfer, legs } = made;
    const known = this.known.find((one) => one.opening.key === key);
    if (known)
      return known.opening !== made ? 'key_taken' : known.states[0] === 'REVERSED' ? 'replayed_refused' : 'replayed';
    const games = legs.map(({ gameCode }) => gameCode as Game);
    if (games.some((game) => this.busy[game] !== null)) return 'account_busy';
    if (read.version !== null && this.versions[games[0] as Game] !== read.version) return 'stale_read';
    const from = transfer.source as Game | 'WALLET';
    const free = read.cash ?? this.#free(from);
    for (const game of games) {
      this.busy[game] = transfer.reference;
      this.versions[game] += 1n;
    }
    if (free < transfer.amount) {
      for (const game of games) this.#release(game, transfer.reference);
      this.known.push({
        opening: made,
        states: legs.map(() => 'REVERSED'),
        words: legs.map(() => 'MONEY_NOT_ENOUGH'),
      });
      return 'insufficient_funds';
    }
    if (read.cash !== null) this.purses[from].posted = read.cash;
    this.purses[from].held += transfer.amount;
    this.known.push({ opening: made, states: legs.map((_, index) => (index === 0 ? 'SENT' : 'QUEUED')), words: [] });
    return 'applied';
  }

  #close(made: Opening, number: 1 | 2, { to, balance, goesOn }: End): string {
    const known = this.known.find((one) => one.opening === made);
    const leg = made.legs[number - 1];
    if (!known || !leg) throw new Error('a leg that was never opened');
    const { states, words } = known;
    const { amount, gameCode, direction, reference } = leg;
    const state = states[number - 1];
    if (state === 'QUEUED') return 'lease_lost';
    if (state !== 'SENT') {
      if (state !== to) return 'closed_differently';
      return goesOn && states[1] !== 'SENT' ? 'replayed_second_leg_refused' : 'replayed';
    }
    const game = gameCode as Game;
    const [from, into] = direction === 'in' ? (['WALLET', game] as const) : ([game, 'WALLET'] as const);
    states[number - 1] = to;
    this.purses[from].held -= amount;
    if (to === 'DONE') {
      this.purses[from].posted -= amount;
      this.purses[into].posted += amount;
      if (balance !== null) this.purses[game].posted = balance;
    } else words[number - 1] = 'TRANSFER_FAIL';
    this.#release(game, reference);
    const [, second] = made.legs;
    if (number === 1 && second) {
      if (goesOn) {
        states[1] = 'SENT';
        this.purses.WALLET.held += amount;
      } else {
        states[1] = 'REVERSED';
        words[1] = 'TRANSFER_FAIL RESTS_IN_WALLET';
        this.#release(second.gameCode, reference);
      }
    }
    return 'applied';
  }
}
