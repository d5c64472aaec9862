import type { Currency } from '@krapao/contract/money';

/** One movement of one of our accounts, from its bank's statement. */
export type PartyStatementEntry = {
  direction: 'in' | 'out';
  /** TRANSFER, BILL (a gateway's settlement), PAYOUT; of the wallet app P2P and GIFT. */
  channel: string;
  /** Identity of the movement, to recognise repeated lines. */
  sendingBank: string;
  transRef: string;
  amount: bigint;
  /** Our reference of a payout, a gateway's of a bill payment, a gift's voucher. */
  reference: string | null;
};

/** Total that a gateway has received for us, before its fee. `unmatched`: the part without a matching code. */
export type GatewayTotal = { name: string; currency: Currency; received: bigint; unmatched: bigint };
/** Totals moved to and from players, in hundredths of a credit. */
export type PlayerTotal = { provider: string; username: string; movedIn: bigint; movedOut: bigint };

/**
 * Statements of our money by all parties outside, independent of single inquiries. Undefined where a party has no
 * statement that is read here: then there is nothing to compare, and the report says so. Reading throws when the party
 * doesn't answer: an incomplete statement is not used.
 */
export type StatementSource = {
  /** Our accounts, named like their house accounts: `SCB-4680001234`. */
  bankAccounts: readonly { name: string; currency: Currency; lines(): Promise<PartyStatementEntry[]> }[];
  walletApp: (() => Promise<PartyStatementEntry[]>) | undefined;
  gateways: (() => Promise<GatewayTotal[]>) | undefined;
  players: (() => Promise<PlayerTotal[]>) | undefined;
};

const PAGES_MAX = 50_000;

/** A statement that does not end. */
export class StatementTooLong extends Error {
  override readonly name = 'EndlessStatement';
}

/**
 * A statement page by page, from its beginning to its end.
 * @param party whose statement it is
 * @param read reads the page after a cursor; `''`: the first
 * @throws {StatementTooLong} when a cursor repeats, or there are more pages than any statement has
 */
export async function* fetchPages<Page extends { nextCursor: string; more: boolean }>(
  party: string,
  read: (cursor: string) => Promise<Page>,
): AsyncGenerator<Page> {
  const places = new Set<string>();
  for (let cursor = ''; places.size < PAGES_MAX;) {
    places.add(cursor);
    const page = await read(cursor);
    yield page;
    if (!page.more) return;
    cursor = page.nextCursor;
    if (places.has(cursor))
      throw new StatementTooLong(`${party} announces more after ${cursor}, where it has been before`);
  }
  throw new StatementTooLong(`${party} announces more than ${PAGES_MAX} pages`);
}
