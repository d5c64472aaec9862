import fc from 'fast-check';
import type { LedgerCommand } from '../../../src/ledger/index.ts';
import { closingOf, type TestGame, TEST_GAMES, type OpenedTransfer, openingOf, refreshCommand } from './books.ts';

type TransferRoute = readonly [TestGame | 'WALLET', TestGame | 'WALLET'];
type ModelPurse = { posted: bigint; held: bigint };
type LegState = 'QUEUED' | 'SENT' | 'DONE' | 'REVERSED';
type KnownTransfer = { opening: OpenedTransfer; states: LegState[]; words: string[] };
type KnownBalance = { version: bigint | null; cash: bigint | null };
type LegEnd = { to: 'DONE' | 'REVERSED'; balance: bigint | null; isContinued: boolean };

/** A posted command in the model. */
export type CommandAct = { member: string } & (
  | { kind: 'open'; command: LedgerCommand; opening: OpenedTransfer; read: KnownBalance }
  | { kind: 'close'; command: LedgerCommand; opening: OpenedTransfer; leg: 1 | 2; end: LegEnd }
  | { kind: 'refresh'; command: LedgerCommand; game: TestGame; version: bigint; target: bigint }
  | { kind: 'deposit' | 'payout'; amount: bigint }
);

const TRANSFER_ROUTES: readonly TransferRoute[] = [
  ['WALLET', 'alpha'],
  ['WALLET', 'beta'],
  ['alpha', 'WALLET'],
  ['beta', 'WALLET'],
  ['alpha', 'beta'],
  ['beta', 'alpha'],
];

const drawnAct = fc.record({
  kind: fc.constantFrom('open', 'open', 'close', 'close', 'close', 'repeat', 'refresh', 'deposit', 'payout'),
  route: fc.constantFrom(...TRANSFER_ROUTES),
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
export const arbitraryActs = () =>
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
export function buildAct(model: CommandModel, drawnAct: DrawnAct): CommandAct {
  const { member, pastActs } = model;
  const repeatedAct = pastActs[drawnAct.which % Math.max(1, pastActs.length)];
  if (drawnAct.kind === 'repeat' && repeatedAct) return repeatedAct;
  const knownTransfer =
    model.knownTransfers[
      model.knownTransfers.length - 1 - (drawnAct.which % Math.max(1, Math.min(3, model.knownTransfers.length)))
    ];
  if (drawnAct.kind === 'deposit' || drawnAct.kind === 'payout')
    return { member, kind: drawnAct.kind, amount: drawnAct.amount };
  if (drawnAct.kind === 'close' && knownTransfer) return buildCloseAct(member, knownTransfer, drawnAct);
  if (drawnAct.kind === 'refresh') {
    const game = TEST_GAMES[drawnAct.which % 2] as TestGame;
    const version = model.versions[game] - (drawnAct.isStale ? 1n : 0n);
    const command = refreshCommand(member, game, version, drawnAct.cash);
    return { member, kind: 'refresh', command, game, version, target: drawnAct.cash };
  }
  const [source] = drawnAct.route;
  const knownBalance: KnownBalance =
    source === 'WALLET'
      ? { version: null, cash: null }
      : { version: model.versions[source] - (drawnAct.isStale ? 1n : 0n), cash: drawnAct.cash };
  const key = drawnAct.sharesKey && knownTransfer ? { key: knownTransfer.opening.key } : {};
  const openedTransfer = openingOf(member, drawnAct.route, drawnAct.amount, { ...knownBalance, ...key });
  return { member, kind: 'open', command: openedTransfer.command, opening: openedTransfer, read: knownBalance };
}

function buildCloseAct(
  member: string,
  { opening: openedTransfer, states }: KnownTransfer,
  drawnAct: DrawnAct,
): CommandAct {
  const { to, isReported, cash, goesOn, which } = drawnAct;
  const [first, second] = openedTransfer.legs;
  if (!first) throw new Error('a transfer without legs');
  // Mostly the pending leg; sometimes the other one.
  const isSecond = (states[0] === 'DONE') !== (which % 5 === 0);
  const leg = second && isSecond ? 2 : 1;
  const legEnd: LegEnd = {
    to,
    balance: to === 'DONE' && isReported ? cash : null,
    isContinued: goesOn && leg === 1 && to === 'DONE',
  };
  const closedLeg = leg === 2 && second ? { ...second, state: 'SENT' as const } : first;
  const command = closingOf(closedLeg, to, {
    balance: legEnd.balance,
    ...(legEnd.isContinued && second ? { second } : {}),
  });
  return {
    member,
    kind: 'close',
    command,
    opening: openedTransfer,
    leg,
    end: { ...legEnd, isContinued: legEnd.isContinued && second !== undefined },
  };
}

/** Expected rows, money and outcomes of one member. */
export class CommandModel {
  readonly member: string;
  knownTransfers: KnownTransfer[] = [];
  /** Acts with a repeatable command. */
  pastActs: CommandAct[] = [];
  purses: Record<TestGame | 'WALLET', ModelPurse>;
  versions: Record<TestGame, bigint> = { alpha: 0n, beta: 0n };
  busy: Record<TestGame, string | null> = { alpha: null, beta: null };

  constructor(member: string, wallet: bigint) {
    this.member = member;
    this.purses = {
      WALLET: { posted: wallet, held: 0n },
      alpha: { posted: 0n, held: 0n },
      beta: { posted: 0n, held: 0n },
    };
  }

  copy(): CommandModel {
    const copiedModel = new CommandModel(this.member, 0n);
    copiedModel.knownTransfers = this.knownTransfers.map((knownTransfer) => ({
      ...knownTransfer,
      states: [...knownTransfer.states],
      words: [...knownTransfer.words],
    }));
    copiedModel.pastActs = [...this.pastActs];
    copiedModel.purses = structuredClone(this.purses);
    copiedModel.versions = { ...this.versions };
    copiedModel.busy = { ...this.busy };
    return copiedModel;
  }

  /** @returns the outcome of a command, the outcome of an operation */
  apply(act: CommandAct): string {
    switch (act.kind) {
      case 'deposit':
        this.purses.WALLET.posted += act.amount;
        return 'applied';
      case 'payout':
        if (this.#free('WALLET') < act.amount) return 'rejected';
        this.purses.WALLET.posted -= act.amount;
        return 'applied';
      case 'refresh':
        this.pastActs.push(act);
        return this.#refresh(act.game, act.version, act.target);
      case 'open':
        this.pastActs.push(act);
        return this.#open(act.opening, act.read);
      case 'close':
        this.pastActs.push(act);
        return this.#close(act.opening, act.leg, act.end);
    }
  }

  expectedRecords(): {
    money: Record<string, [bigint, bigint]>;
    legs: Record<string, string>;
    busy: CommandModel['busy'];
  } {
    const moneyByPurse: Record<string, [bigint, bigint]> = {};
    for (const [name, { posted, held }] of Object.entries(this.purses)) {
      if (posted !== 0n || held !== 0n) moneyByPurse[name === 'WALLET' ? name : `GAME:${name}`] = [posted - held, held];
    }
    const legs = Object.fromEntries(
      this.knownTransfers.flatMap(({ opening: { legs: openedLegs }, states, words }) =>
        openedLegs.map(({ providerReference }, index) => [
          providerReference,
          [states[index], words[index]].filter(Boolean).join(' '),
        ]),
      ),
    );
    return { money: moneyByPurse, legs, busy: this.busy };
  }

  #free(name: TestGame | 'WALLET'): bigint {
    const { posted, held } = this.purses[name];
    return posted - held;
  }

  #release(game: string, reference: string): void {
    if (this.busy[game as TestGame] !== reference) return;
    this.busy[game as TestGame] = null;
    this.versions[game as TestGame] += 1n;
  }

  #refresh(game: TestGame, version: bigint, target: bigint): string {
    if (this.versions[game] !== version || this.busy[game] !== null) return 'stale_read';
    this.versions[game] += 1n;
    this.purses[game].posted = target;
    return 'applied';
  }

  #open(openedTransfer: OpenedTransfer, knownBalance: KnownBalance): string {
    const { key, transfer, legs } = openedTransfer;
    const knownTransfer = this.knownTransfers.find((item) => item.opening.key === key);
    if (knownTransfer)
      return knownTransfer.opening !== openedTransfer
        ? 'key_taken'
        : knownTransfer.states[0] === 'REVERSED'
          ? 'replayed_refused'
          : 'replayed';
    const gameCodes = legs.map(({ gameCode }) => gameCode as TestGame);
    if (gameCodes.some((game) => this.busy[game] !== null)) return 'account_busy';
    if (knownBalance.version !== null && this.versions[gameCodes[0] as TestGame] !== knownBalance.version)
      return 'stale_read';
    const from = transfer.source as TestGame | 'WALLET';
    const freeAmount = knownBalance.cash ?? this.#free(from);
    for (const game of gameCodes) {
      this.busy[game] = transfer.reference;
      this.versions[game] += 1n;
    }
    if (freeAmount < transfer.amount) {
      for (const game of gameCodes) this.#release(game, transfer.reference);
      this.knownTransfers.push({
        opening: openedTransfer,
        states: legs.map(() => 'REVERSED'),
        words: legs.map(() => 'MONEY_NOT_ENOUGH'),
      });
      return 'insufficient_funds';
    }
    if (knownBalance.cash !== null) this.purses[from].posted = knownBalance.cash;
    this.purses[from].held += transfer.amount;
    this.knownTransfers.push({
      opening: openedTransfer,
      states: legs.map((_, index) => (index === 0 ? 'SENT' : 'QUEUED')),
      words: [],
    });
    return 'applied';
  }

  #close(openedTransfer: OpenedTransfer, number: 1 | 2, { to, balance, isContinued }: LegEnd): string {
    const knownTransfer = this.knownTransfers.find((item) => item.opening === openedTransfer);
    const leg = openedTransfer.legs[number - 1];
    if (!knownTransfer || !leg) throw new Error('a leg that was never opened');
    const { states, words } = knownTransfer;
    const { amount, gameCode, direction, reference } = leg;
    const state = states[number - 1];
    if (state === 'QUEUED') return 'lease_lost';
    if (state !== 'SENT') {
      if (state !== to) return 'closed_differently';
      return isContinued && states[1] !== 'SENT' ? 'replayed_second_leg_refused' : 'replayed';
    }
    const game = gameCode as TestGame;
    const [from, target] = direction === 'in' ? (['WALLET', game] as const) : ([game, 'WALLET'] as const);
    states[number - 1] = to;
    this.purses[from].held -= amount;
    if (to === 'DONE') {
      this.purses[from].posted -= amount;
      this.purses[target].posted += amount;
      if (balance !== null) this.purses[game].posted = balance;
    } else words[number - 1] = 'TRANSFER_FAIL';
    this.#release(game, reference);
    const [, second] = openedTransfer.legs;
    if (number === 1 && second) {
      if (isContinued) {
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
