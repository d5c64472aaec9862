import assert from 'node:assert/strict';
import { createHmac, randomInt } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { audit } from '../../../src/ledger/audit.ts';
import { houseAccountBalance } from '../../../src/ledger/balances.ts';
import type { Outside } from '../../../src/outside-config.ts';
import type { ApiReply } from '../../harness/api-client.ts';
import type { TestMember } from '../../harness/members.ts';
import type { System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';

export const SCB_ACCOUNT = 'SCB/4680001234';
export const KBANK_ACCOUNT = 'KBANK/1238004567';

export type FeedEntry = Record<string, unknown> & { transRef: string; sendingBank: string; amount: string };
/** A failed read is repeated, so timeouts are short. */
const TIMEOUT_MS = 1_000;

type Misbehaviour = (response: ServerResponse) => void;

/** A bank whose feed the test controls, for replies that the simulated bank never sends. */
export type FeedSystem = {
  /** Changes outside.json so that bank and wallet app are read from this server. */
  outside: (outside: Outside) => Outside;
  /** Adds entries to an account, or to the wallet app's history. */
  addEntries(account: string, ...entries: unknown[]): void;
  /** Outcomes of the next reads of any feed. */
  injectFault(times: number, behaviour: Misbehaviour): void;
  /** How often an account was read. */
  countReads(account: string): number;
  close(): Promise<void>;
};

export const feedFaults = {
  error: (response: ServerResponse) => void response.writeHead(500).end('{"error":"internal"}'),
  html: (response: ServerResponse) => void response.writeHead(200).end('<html>maintenance</html>'),
  otherShape: (response: ServerResponse) => void response.writeHead(200).end('{"lines":"none"}'),
  silence: () => {},
} satisfies Record<string, Misbehaviour>;

export async function startFeedSystem(): Promise<FeedSystem> {
  const entriesByAccount = new Map<string, unknown[]>();
  const readCounts = new Map<string, number>();
  let misbehaviours: Misbehaviour[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const account = url.pathname.startsWith('/feed/') ? url.pathname.slice('/feed/'.length) : 'wallet-app';
    readCounts.set(account, (readCounts.get(account) ?? 0) + 1);
    const behaviour = misbehaviours.shift();
    if (behaviour) return behaviour(response);
    const allEntries = entriesByAccount.get(account) ?? [];
    const afterCount = Number(url.searchParams.get('after') ?? 0);
    const page = allEntries.slice(afterCount, afterCount + Number(url.searchParams.get('limit')));
    const nextCursor = afterCount + page.length;
    const key = account === 'wallet-app' ? 'transactions' : 'lines';
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ [key]: page, nextCursor: String(nextCursor || ''), more: nextCursor < allEntries.length }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    outside: (outside) => ({
      ...outside,
      bank: { ...outside.bank, url: address, timeoutMs: TIMEOUT_MS },
      ...(outside.walletApp ? { walletApp: { ...outside.walletApp, url: address, timeoutMs: TIMEOUT_MS } } : {}),
    }),
    addEntries: (account, ...entries) =>
      void entriesByAccount.set(account, [...(entriesByAccount.get(account) ?? []), ...entries]),
    injectFault: (times, behaviour) => void (misbehaviours = Array.from({ length: times }, () => behaviour)),
    countReads: (account) => readCounts.get(account) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const newTransRef = (): string => `20261121t${randomInt(1e9)}${randomInt(1e9)}`.slice(0, 25);
const BANK_NUMBERS: Readonly<Record<string, string>> = { SCB: '014', KBANK: '004', BBL: '002' };

/** An entry of the SCB feed: masked, with a truncated name. */
export function feedEntryOf(member: TestMember, amount: string, overrides: Partial<FeedEntry> = {}): FeedEntry {
  const { bankCode, bankAccountNo: accountNo, bankAccountName } = member;
  const [first = '', last = ''] = bankAccountName.split(' ');
  return {
    cursor: 'not looked at',
    direction: 'in',
    channel: 'TRANSFER',
    transRef: newTransRef(),
    sendingBank: BANK_NUMBERS[bankCode] as string,
    bankCode,
    amount,
    currency: 'THB',
    at: new Date().toISOString(),
    from: { bankCode, accountNo: `xxx-x-x${accountNo.slice(5, 9)}-x`, name: `${first} ${last.slice(0, 1)}` },
    to: null,
    reference1: null,
    balanceAfter: '1000100.00',
    ...overrides,
  };
}

/** A push with the bank's signature. */
export function signedPush(
  system: System,
  account: string,
  pushOptions: { secondsAgo?: number; secret?: string; body?: string } = {},
): { body: string; headers: Record<string, string> } {
  const [bankCode, accountNo] = account.split('/');
  const body =
    pushOptions.body ?? JSON.stringify({ event: 'line', account: { bankCode, accountNo }, amount: '999999.00' });
  const seconds = Math.floor(Date.now() / 1000) - (pushOptions.secondsAgo ?? 0);
  const hex = createHmac('sha256', pushOptions.secret ?? system.outside.bank.callbackSecret)
    .update(`${seconds}.${body}`)
    .digest('hex');
  return { body, headers: { 'content-type': 'application/json', 'x-bank-signature': `t=${seconds},v1=${hex}` } };
}

export const sendPush = (system: Pick<System, 'api'>, push: { body: string; headers?: Record<string, string> }) =>
  system.api('POST /api/callback/bank-feed', { ...push });

export const readStatement = async (system: Pick<System, 'api'>, { token }: TestMember): Promise<Statement[]> =>
  (await system.api('POST /api/statement', { token, body: { limit: 100 } })).body.statements as Statement[];
type Statement = { statementType: string; amount: number; from: string; reference: string };

/** Amounts of all deposits, oldest first. */
export const readDepositAmounts = async (system: Pick<System, 'api'>, member: TestMember): Promise<number[]> =>
  (await readStatement(system, member))
    .filter(({ statementType }) => statementType === 'deposit')
    .map(({ amount }) => amount)
    .toReversed();

export const announceTransfer = (
  system: Pick<System, 'api'>,
  { token }: TestMember,
  body: unknown,
  key?: string,
): Promise<ApiReply> =>
  system.api('POST /api/wallet/add', { token, body, ...(key === undefined ? {} : { idempotencyKey: key }) });

/** Amounts, ascending. */
export const sortAscending = (amounts: readonly number[]): number[] => amounts.toSorted((a, b) => a - b);

export type ArrivalRow = { state: string; reason: string | null; memberId: string | null; via: string | null };

export async function readArrivalRow(system: System, transRef: string): Promise<ArrivalRow | undefined> {
  const { rows } = await system.database.query<ArrivalRow>(
    'select state, reason, member_id as "memberId", via from deposit_arrival where trans_ref = $1',
    [transRef],
  );
  return rows[0];
}

export const makePollsDue = async (system: System): Promise<void> => {
  await system.database.query('update deposit_feed set poll_at = now(), wakes = wakes + 1');
};

/** The ledger passes its audit, and every stored transfer is in the account of its row's state. */
export async function assertBooksAgree(system: System): Promise<void> {
  await waitUntil(
    async () => (await system.database.query('select id from deposit_arrival where work_at is not null')).rows.length,
    (remaining) => remaining === 0,
    'transfers with work left',
  );
  const { rows } = await system.database.query<{ houseAccount: string; amount: bigint }>(
    `select house_account as "houseAccount", sum(amount)::bigint as amount from deposit_arrival where state <> 'GATEWAY'
       and (state <> 'NEW') group by house_account`,
  );
  for (const { houseAccount, amount } of rows) {
    assert.equal(await houseAccountBalance(system.database, houseAccount, 'BAHT'), -amount, houseAccount);
  }
  const openAnnouncements = await system.database.query<{ amount: bigint }>(
    `select coalesce(sum(amount), 0)::bigint as amount from deposit_arrival where state = 'SUSPENSE'`,
  );
  assert.equal(await houseAccountBalance(system.database, 'suspense', 'BAHT'), openAnnouncements.rows[0]?.amount);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
}
