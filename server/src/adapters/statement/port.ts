import type { Currency } from '@krapao/contract/money';
import { UserError } from '../../platform/errors.ts';

/** One movement of an operator account, from its bank's statement. */
export type PartyStatementEntry = {
  direction: 'in' | 'out';
  /** TRANSFER, BILL (a gateway's settlement), PAYOUT; of the wallet app P2P and GIFT. */
  channel: string;
  /** Identity of the movement, to recognise repeated lines. */
  sendingBank: string;
  transRef: string;
  amount: bigint;
  /** Our reference of a payout, a gateway's of a bill payment, or a gift's voucher. */
  reference: string | null;
};

/** Total that a gateway has received for us, before its fee. `unmatched`: the share without a matching code. */
export type GatewayTotal = { name: string; currency: Currency; received: bigint; unmatched: bigint };
/** Totals moved to and from players, in hundredths of a credit. */
export type PlayerTotal = { provider: string; username: string; movedIn: bigint; movedOut: bigint };

/**
 * Statements of our money by all counterparties, independent of single inquiries. Undefined for a party without a
 * readable statement: the report lists it as not compared. Reading throws when the party doesn't reply, because an
 * incomplete statement is not used.
 */
export type StatementSource = {
  /** Operator accounts, named like their house accounts: `SCB-4680001234`. */
  bankAccounts: readonly { name: string; currency: Currency; lines(): Promise<PartyStatementEntry[]> }[];
  walletApp: (() => Promise<PartyStatementEntry[]>) | undefined;
  gateways: (() => Promise<GatewayTotal[]>) | undefined;
  players: (() => Promise<PlayerTotal[]>) | undefined;
};

const PAGES_MAX = 50_000;

/** A statement that does not end. */
export class StatementTooLong extends UserError {}

/**
 * Reads a statement page by page, from beginning to end.
 * @param party name of the party in errors
 * @param read reads the page after a cursor; `''`: the first
 * @throws {StatementTooLong} a cursor repeats, or there are more pages than in any real statement
 */
export async function* fetchPages<Page extends { nextCursor: string; more: boolean }>(
  party: string,
  read: (cursor: string) => Promise<Page>,
): AsyncGenerator<Page> {
  const seenCursors = new Set<string>();
  for (let cursor = ''; seenCursors.size < PAGES_MAX;) {
    seenCursors.add(cursor);
    const page = await read(cursor);
    yield page;
    if (!page.more) return;
    cursor = page.nextCursor;
    if (seenCursors.has(cursor))
      throw new StatementTooLong(`${party} announces more after ${cursor}, where it has been before`);
  }
  throw new StatementTooLong(`${party} announces more than ${PAGES_MAX} pages`);
}
