/** The simulators' API for tests: phone messages, bank app, games, and faults. */

/** The outside's address; its first page is the member's phone. */
export const simulatorsUrl = (): string => {
  const url = process.env.SIMULATORS_URL;
  if (!url) throw new Error('SIMULATORS_URL is not set: run through playwright.config.ts');
  return url;
};

export type SmsMessage = { text: string; code: string; ref: string; at: string };
export type Payer = { bankCode: string; accountNo: string; accountName: string };

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const reply = await fetch(`${simulatorsUrl()}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`);
  return (reply.status === 204 ? undefined : await reply.json()) as T;
}

/** Messages received by a phone, newest first. */
export const readSmsMessages = (phone: string): Promise<SmsMessage[]> => json('GET', `/phone/messages?to=${phone}`);

/** Waits for the newest message and reads its code. */
export async function readNewestSms(phone: string, patienceMs = 10_000): Promise<SmsMessage> {
  const giveUp = Date.now() + patienceMs;
  while (Date.now() < giveUp) {
    const [newestSms] = await readSmsMessages(phone);
    if (newestSms) return newestSms;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No message came to ${phone}`);
}

/** Pays a QR by its text, like a bank app. */
export const payQr = (payload: string, from: Payer, amount?: number): Promise<unknown> =>
  json('POST', '/bank/pay-qr', { payload, from, ...(amount === undefined ? {} : { amount }) });

/** Transfers between banks, like a bank app. @returns the number of the transfer and the address of its slip */
export const transferToBank = (
  from: Payer,
  to: { bankCode: string; accountNo: string },
  amount: number,
): Promise<{ transferId: string; slipUrl: string }> => json('POST', '/bank/transfer', { from, to, amount });

/** Creates a gift link in the wallet app. @param amount baht */
export const makeGift = (amount: number): Promise<{ link: string }> => json('POST', '/wallet-app/gift', { amount });

/** Plays one round by the simulator's API. */
export const playRound = (provider: string, username: string, stake: number, win: number): Promise<unknown> =>
  json('POST', `/games/${provider}/players/${username}/play`, { stake, win });

/** Places a bet that stays open until it is settled. @returns its number */
export const openBet = (provider: string, username: string, stake: number): Promise<{ roundId: number }> =>
  json('POST', `/games/${provider}/players/${username}/play`, { stake, open: true });
export const settleBet = (provider: string, username: string, roundId: number, win: number): Promise<unknown> =>
  json('POST', `/games/${provider}/players/${username}/settle`, { roundId, win });

export const readGamePlayer = (provider: string, username: string): Promise<{ balance: number; outstanding: number }> =>
  json('GET', `/games/${provider}/players/${username}`);

/** Sums of the outside by its own accounting. Amounts are texts with two decimals. */
export type SimulatorTotals = {
  bank: { bankCode: string; accountNo: string; balance: string }[];
  games: Record<'provider' | 'username' | 'balance' | 'transferredIn' | 'transferredOut' | 'staked' | 'won', string>[];
};
export const readSimulatorTotals = (): Promise<SimulatorTotals> => json('GET', '/control/totals');

export type SimulatorFault = {
  target: string;
  fault: string;
  times: number;
  delayMs?: number;
  call?: string;
  /** Amount of a forged callback, in baht. */
  amount?: number;
};

/** Injects a fault into a target's next calls, of any test: only in the project `alone` of playwright.config.ts. */
export const setFault = (fault: SimulatorFault): Promise<unknown> => json('POST', '/control/faults', fault);
export const clearFaults = (): Promise<void> => json('DELETE', '/control/faults');

/** The bank's callbacks for a QR, with the HTTP status of each reply. */
export const readCallbacks = async (partnerTxnUid: string): Promise<{ status: number }[]> =>
  (await json<{ key: string; status: number }[]>('GET', '/control/calls?target=callback&limit=1000')).filter(
    ({ key }) => key === partnerTxnUid,
  );

/** The bank's number of its newest requested QR. */
export async function readNewestQr(): Promise<string> {
  const [newestCall] = await json<{ key: string }[]>('GET', '/control/calls?target=kbank&call=qr_request&limit=1');
  if (!newestCall) throw new Error('the bank was not asked for a QR yet');
  return newestCall.key;
}

/** Time after which the bank pays a payout automatically; a day when the test decides. */
const PAYOUT_DELAY_MS = 1_000;
const NEVER_MS = 86_400_000;

/** Makes the bank hold every payout, or process payouts as usual: only in the project `alone`. */
export const holdPayouts = (isHeld: boolean): Promise<unknown> =>
  json('POST', '/control/settings', { payoutDelayMs: isHeld ? NEVER_MS : PAYOUT_DELAY_MS });

/** Ends a pending payout of the bank. */
export const endPayout = (reference: string, outcome: 'PAID' | 'FAILED', reason?: string): Promise<unknown> =>
  json('POST', `/control/payouts/${reference}`, { outcome, ...(reason === undefined ? {} : { reason }) });

/** A transfer at the bank, and the picture of its slip. @param amount a text with two decimals */
export async function transferAtBank(
  from: Payer,
  to: { bankCode: string; accountNo: string },
  amount: string,
): Promise<Blob> {
  const { slipUrl } = await json<{ slipUrl: string }>('POST', '/bank/transfer', { from, to, amount });
  return (await fetch(new URL(slipUrl, simulatorsUrl()))).blob();
}

/** Sets faults of a game provider, for every test: only in the project `alone`. */
export const setGameServer = (
  provider: string,
  state: { maintenance?: boolean; launchRefused?: boolean; pool?: number | null },
): Promise<unknown> => json('POST', '/control/settings', { games: { [provider]: state } });

/** Ends a match of the sports books, which settles its bets. */
export const finishSportsMatch = (matchId: number, homeGoals: number, awayGoals: number): Promise<unknown> =>
  json('POST', '/control/games/sports/finish', { matchId, home: homeGoals, away: awayGoals });

/** Draws a provider's lotto now, so that the next draw is open for longer than a test. */
export const startLottoDraw = (provider: string): Promise<unknown> => requestLottoDraw(provider, 'lotto');

/** Draws a lotto now. @param result six digits; random if omitted */
export const requestLottoDraw = (provider: string, game: string, result?: string): Promise<unknown> =>
  json('POST', '/control/games/lotto/draw', { provider, game, ...(result === undefined ? {} : { result }) });

export type SupportMessage = { message_type: string; payload: Record<string, unknown> };

/** Conversations of the support inbox, latest first. */
export const supportConversations = (): Promise<{ id: string }[]> => json('GET', '/support/conversations');
export const supportMessages = (id: string): Promise<{ message: SupportMessage }[]> =>
  json('GET', `/support/conversations/${id}`);

/** Sends a message as a support agent; from then on the robot doesn't reply in this conversation. */
export const sendSupportMessage = (id: string, message: SupportMessage): Promise<unknown> =>
  json('POST', `/support/conversations/${id}/messages`, message);
