import type { Currency } from '@krapao/contract/money';

/** One movement of an account of ours, as its bank tells it. */
export type StatementLine = {
  direction: 'in' | 'out';
  /** TRANSFER, BILL (a gateway's settlement), PAYOUT; of the wallet app P2P and GIFT. */
  channel: string;
  /** What makes it the same movement, however often it is told. */
  sendingBank: string;
  transRef: string;
  amount: bigint;
  /** Our reference of a payout, a gateway's of a bill payment, a gift's voucher. */
  reference: string | null;
};

/** What a gateway has taken in for us, before its fee. `unmatched`: the part that it knows no code of ours for. */
export type GatewayTotal = { name: string; currency: Currency; received: bigint; unmatched: bigint };
/** What players have been given and have given back, in hundredths of a credit. */
export type PlayerTotal = { provider: string; username: string; movedIn: bigint; movedOut: bigint };

/**
 * What everybody outside says of our money by itself, not when asked about single things. Undefined where a party has no
 * statement that is read here: then there is nothing to compare, and that is said.
 * Reading throws when the party doesn't answer: half a statement is none.
 */
export type StatementSource = {
  /** Accounts of ours, as house accounts name them: `SCB-4680001234`. */
  bankAccounts: readonly { name: string; currency: Currency; lines(): Promise<StatementLine[]> }[];
  walletApp: (() => Promise<StatementLine[]>) | undefined;
  gateways: (() => Promise<GatewayTotal[]>) | undefined;
  players: (() => Promise<PlayerTotal[]>) | undefined;
};
