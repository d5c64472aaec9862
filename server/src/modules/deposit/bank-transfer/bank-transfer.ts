import type { Currency, Minor } from '@krapao/contract/money';
import type { ArrivalState } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/index.ts';
import type { Clock } from '../../../platform/time.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { AccountModule } from '../../account/index.ts';
import type { QrcodeModule } from '../qrcode/index.ts';
import type { SiteConfig } from '../../lookup/index.ts';

/** Sending bank of everything that came through the wallet app. */
export const WALLET_APP = 'WALLET_APP';
/** House account of the wallet app's money, and the name of its feed. */
export const WALLET_APP_HOUSE = 'wallet-app';
/** House account of received money that matches no member. */
export const SUSPENSE_HOUSE = 'suspense';

/** The identity of a transfer, whatever reports it: the bank's letters are case-sensitive. */
export type TransferIdentity = {
  /** Three-digit number of the bank that it was sent from, or WALLET_APP. */
  sendingBank: string;
  /** That bank's reference: 1–64 visible ASCII characters. */
  transRef: string;
};

/** What a feed, or the look-up of a slip, has told of a transfer to an account of ours. */
export type ReportedTransfer = {
  identity: TransferIdentity;
  /** House account that the money came to: `houseOf(...)`, or `wallet-app`. */
  house: string;
  currency: Currency;
  amount: Minor;
  sender: Sender;
  /** First reference of a bill payment; null for a plain transfer. */
  reference1: string | null;
  sentAt: Date;
};

/** The sender as the bank shows it: digits and letters may be hidden. */
export type Sender = { account: string; name: string };

/** Whose it could be, and why that isn't enough. */
export type AmbiguousSender = { reason: 'SEVERAL' | 'TOO_NEW'; candidates: string[] };

/** How a transfer was found to be a member's. */
export type MatchSource = 'FEED' | 'NOTICE' | 'SLIP' | 'WALLET_APP' | `operator:${string}`;

/** Why a transfer waits for an operator. */
export type SuspenseReason =
  | 'NOBODY'
  | 'SEVERAL'
  /** One member could have sent it, but was not there, or not by this name, when it was sent. */
  | 'TOO_NEW'
  | 'UNKNOWN_BANK'
  /** A bill payment whose reference is of none of our codes. */
  | 'UNKNOWN_REFERENCE'
  /** Two tellers told two different things of it. */
  | 'DISPUTED';

export type IncomingTransfer = TransferIdentity & {
  id: string;
  house: string;
  currency: Currency;
  amount: Minor;
  senderAccount: string;
  senderName: string;
  reference1: string | null;
  sentAt: Date;
  seenAt: Date;
  /** When a feed told of it; null while only a slip did. */
  fedAt: Date | null;
  state: ArrivalState;
  reason: SuspenseReason | null;
  candidates: string[];
  /** Whose it is, and how that was found; before it is CREDITED by an operator alone. */
  memberId: string | null;
  via: MatchSource | null;
};

/** `bank:SCB-4680001234`: what the ledger calls an account of ours. */
export const houseOf = (account: { bankCode: string; accountNo: string }): string =>
  `bank:${account.bankCode}-${account.accountNo}`;

/** Key of the ledger operation that credits a transfer. */
export const creditKey = ({ sendingBank, transRef }: TransferIdentity): string =>
  sendingBank === WALLET_APP ? `deposit:wallet-app:${transRef}` : `deposit:bank:${sendingBank}:${transRef}`;

/** Key of the ledger operation that lays a transfer into suspense. */
export const suspenseKey = ({ sendingBank, transRef }: TransferIdentity): string =>
  sendingBank === WALLET_APP ? `suspense:wallet-app:${transRef}` : `suspense:bank:${sendingBank}:${transRef}`;

/** What the use cases of `bank-transfer` work with. */
export type BankTransferDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand'>;
  clock: Clock;
  account: Pick<AccountModule, 'assertWalletOpen' | 'memberById' | 'bankAccountOf' | 'holdersAt' | 'memberOfPhone'>;
  operatorData: () => Promise<SiteConfig>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  qrcode: Pick<QrcodeModule, 'wakeQrcode'>;
  /** Tells the jobs of this process that something fell due. */
  wakeWork: () => void;
};

/** Lease of a claimed transfer: a few statements and one post to the ledger. */
export const LEASE_MS = 10_000;
