import type { Currency, Minor } from '@krapao/contract/money';
import type { ArrivalState } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/index.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Clock } from '../../../platform/time.ts';
import type { AccountModule } from '../../account/index.ts';
import type { OperatorData } from '../../operator-data/index.ts';
import type { QrcodeModule } from '../qrcode/index.ts';

/** `sendingBank` of transfers through the wallet app. */
export const WALLET_APP = 'WALLET_APP';
/** House account of the wallet app's money, and the name of its feed. */
export const WALLET_APP_ACCOUNT = 'wallet-app';
/** House account of received money that matches no member. */
export const SUSPENSE_ACCOUNT = 'suspense';

/** The identity of a transfer in every report of it. Case-sensitive. */
export type TransferIdentity = {
  /** Three-digit number of the bank, or WALLET_APP. */
  sendingBank: string;
  /** Reference of the sending bank: 1–64 visible ASCII characters. */
  transRef: string;
};

/** A transfer to an own account, as reported by a feed or by the look-up of a slip. */
export type ReportedTransfer = {
  identity: TransferIdentity;
  /** House account that received the money: `houseAccountOf(...)`, or `wallet-app`. */
  houseAccount: string;
  currency: Currency;
  amount: Minor;
  sender: Sender;
  /** First reference of a bill payment; null for a plain transfer. */
  reference1: string | null;
  sentAt: Date;
};

/** The sender as a bank shows it: digits and letters may be masked. */
export type Sender = { account: string; name: string };

/** Members who match the sender, and the reason why none was selected. */
export type AmbiguousSender = { reason: 'SEVERAL' | 'TOO_NEW'; candidates: string[] };

/** How a transfer was matched to a member. */
export type MatchSource = 'FEED' | 'NOTICE' | 'SLIP' | 'WALLET_APP' | `operator:${string}`;

/** Reason why a transfer waits for an operator. */
export type SuspenseReason =
  | 'NOBODY'
  | 'SEVERAL'
  /** One member matches, but registered or changed the name after the transfer was sent. */
  | 'TOO_NEW'
  | 'UNKNOWN_BANK'
  /** A bill payment whose reference belongs to no QR code, or to one that a restore has removed. */
  | 'UNKNOWN_REFERENCE'
  /** Two reports contradict each other. */
  | 'DISPUTED';

export type IncomingTransfer = TransferIdentity & {
  id: string;
  houseAccount: string;
  currency: Currency;
  amount: Minor;
  senderAccount: string;
  senderName: string;
  reference1: string | null;
  sentAt: Date;
  seenAt: Date;
  /** Time of the first report by a feed; null while only a slip reported it. */
  fedAt: Date | null;
  state: ArrivalState;
  reason: SuspenseReason | null;
  candidates: string[];
  /** The matched member, and the source of the match. Before CREDITED only an operator sets them. */
  memberId: string | null;
  via: MatchSource | null;
};

/** House account of an own bank account: `bank:SCB-4680001234`. */
export const houseAccountOf = (account: { bankCode: string; accountNo: string }): string =>
  `bank:${account.bankCode}-${account.accountNo}`;

/** Key of the ledger operation that credits a transfer, the same for every report of it. */
export const creditKey = ({ sendingBank, transRef }: TransferIdentity): string =>
  sendingBank === WALLET_APP ? `deposit:wallet-app:${transRef}` : `deposit:bank:${sendingBank}:${transRef}`;

/** Key of the ledger operation that moves a transfer into suspense. */
export const suspenseKey = ({ sendingBank, transRef }: TransferIdentity): string =>
  sendingBank === WALLET_APP ? `suspense:wallet-app:${transRef}` : `suspense:bank:${sendingBank}:${transRef}`;

export type BankTransferDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postCommand'>;
  clock: Clock;
  account: Pick<AccountModule, 'assertWalletOpen' | 'memberById' | 'bankAccountOf' | 'findHolders' | 'memberOfPhone'>;
  readOperatorData: () => Promise<OperatorData>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  qrcode: Pick<QrcodeModule, 'requestInquiry'>;
  /** Wakes the resolver of this process when work is due. */
  wakeResolver: () => void;
};

/** Lease of a claimed transfer: a few statements and one ledger command. */
export const LEASE_MS = 10_000;
