/** The outside as a test reaches it: the phone that gets messages, the bank app, the games, and how they misbehave. */

/** The outside's address; its first page is the member's phone. */
export const outsideUrl = (): string => {
  const url = process.env.SIMULATORS_URL;
  if (!url) throw new Error('SIMULATORS_URL is not set: run through playwright.config.ts');
  return url;
};

export type Message = { text: string; code: string; ref: string; at: string };
export type Payer = { bankCode: string; accountNo: string; accountName: string };

async function json<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${outsideUrl()}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

/** Messages that a phone received, newest first. */
export const messages = (phone: string): Promise<Message[]> => json('GET', `/phone/messages?to=${phone}`);

/** The code of the newest message, once there is one. */
export async function newestCode(phone: string, patienceMs = 10_000): Promise<Message> {
  const giveUp = Date.now() + patienceMs;
  while (Date.now() < giveUp) {
    const [newest] = await messages(phone);
    if (newest) return newest;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No message came to ${phone}`);
}

/** Pays a QR like a bank app does, by the text that it encodes. */
export const payQr = (payload: string, from: Payer, amount?: number): Promise<unknown> =>
  json('POST', '/bank/pay-qr', { payload, from, ...(amount === undefined ? {} : { amount }) });

/** Transfers between banks, like a bank app does. @returns the number of the transfer and where its slip is */
export const transferToBank = (
  from: Payer,
  to: { bankCode: string; accountNo: string },
  amount: number,
): Promise<{ transferId: string; slipUrl: string }> => json('POST', '/bank/transfer', { from, to, amount });

/** Makes a gift link in the wallet app. @param amount baht */
export const makeGift = (amount: number): Promise<{ link: string }> => json('POST', '/wallet-app/gift', { amount });

/** Plays one round without the game's page. */
export const play = (provider: string, username: string, stake: number, win: number): Promise<unknown> =>
  json('POST', `/games/${provider}/players/${username}/play`, { stake, win });

/** Makes a bet that stays open until it is settled. @returns its number */
export const openBet = (provider: string, username: string, stake: number): Promise<{ roundId: number }> =>
  json('POST', `/games/${provider}/players/${username}/play`, { stake, open: true });
export const settleBet = (provider: string, username: string, roundId: number, win: number): Promise<unknown> =>
  json('POST', `/games/${provider}/players/${username}/settle`, { roundId, win });

export const player = (provider: string, username: string): Promise<{ balance: number; outstanding: number }> =>
  json('GET', `/games/${provider}/players/${username}`);

/** Sums of the outside by its own accounting. Amounts are texts with two decimals. */
export type Totals = {
  bank: { bankCode: string; accountNo: string; balance: string }[];
  games: Record<'provider' | 'username' | 'balance' | 'transferredIn' | 'transferredOut' | 'staked' | 'won', string>[];
};
export const totals = (): Promise<Totals> => json('GET', '/control/totals');

export type Fault = {
  target: string;
  fault: string;
  times: number;
  delayMs?: number;
  call?: string;
  /** Baht that a forged callback claims. */
  amount?: number;
};

/**
 * Makes a target misbehave on its next calls, of any test: only where nothing else runs (the project `alone` of
 * playwright.config.ts).
 */
export const setFault = (fault: Fault): Promise<unknown> => json('POST', '/control/faults', fault);
export const clearFaults = (): Promise<void> => json('DELETE', '/control/faults');

/** Callbacks that the bank has sent for a QR, with the HTTP status that each was answered with. */
export const callbacks = async (partnerTxnUid: string): Promise<{ status: number }[]> =>
  (await json<{ key: string; status: number }[]>('GET', '/control/calls?target=callback&limit=1000')).filter(
    ({ key }) => key === partnerTxnUid,
  );

/** The bank's number of the newest QR that it was asked for. */
export async function newestQr(): Promise<string> {
  const [newest] = await json<{ key: string }[]>('GET', '/control/calls?target=kbank&call=qr_request&limit=1');
  if (!newest) throw new Error('the bank was not asked for a QR yet');
  return newest.key;
}

/** Time after which the bank pays a payout automatically; a day when the test decides. */
const PAYOUT_DELAY_MS = 1_000;
const NEVER_MS = 86_400_000;

/** Makes the bank leave every payout undecided, or work on as usual: only where nothing else runs (the project `alone`). */
export const holdPayouts = (isHeld: boolean): Promise<unknown> =>
  json('POST', '/control/settings', { payoutDelayMs: isHeld ? NEVER_MS : PAYOUT_DELAY_MS });

/** Ends a payout that the bank works on. */
export const endPayout = (reference: string, outcome: 'PAID' | 'FAILED', reason?: string): Promise<unknown> =>
  json('POST', `/control/payouts/${reference}`, { outcome, ...(reason === undefined ? {} : { reason }) });

/** A transfer at the bank, and the picture of its slip. @param amount a text with two decimals */
export async function transferAtBank(
  from: Payer,
  to: { bankCode: string; accountNo: string },
  amount: string,
): Promise<Blob> {
  const { slipUrl } = await json<{ slipUrl: string }>('POST', '/bank/transfer', { from, to, amount });
  return (await fetch(new URL(slipUrl, outsideUrl()))).blob();
}

/** Sets faults of a game provider, for every test: only in the project `alone`. */
export const setGameServer = (
  provider: string,
  state: { maintenance?: boolean; launchRefused?: boolean; pool?: number | null },
): Promise<unknown> => json('POST', '/control/settings', { games: { [provider]: state } });

/** Ends a match of the sports books, which settles what was bet on it. */
export const finishMatch = (matchId: number, home: number, away: number): Promise<unknown> =>
  json('POST', '/control/games/sports/finish', { matchId, home, away });

/** Draws a provider's lotto now, so that what comes after it is sold for longer than a test needs. */
export const beginDraw = (provider: string): Promise<unknown> => drawLotto(provider, 'lotto');

/** Draws a lotto now. @param result six digits; left to chance without it */
export const drawLotto = (provider: string, game: string, result?: string): Promise<unknown> =>
  json('POST', '/control/games/lotto/draw', { provider, game, ...(result === undefined ? {} : { result }) });

export type SupportMessage = { message_type: string; payload: Record<string, unknown> };

/** The support inbox: conversations, latest first, and the messages of one. */
export const supportConversations = (): Promise<{ id: string }[]> => json('GET', '/support/conversations');
export const supportMessages = (id: string): Promise<{ message: SupportMessage }[]> =>
  json('GET', `/support/conversations/${id}`);

/** Answers a customer as a person of support; the robot leaves this conversation to people from then on. */
export const answerInChat = (id: string, message: SupportMessage): Promise<unknown> =>
  json('POST', `/support/conversations/${id}/messages`, message);
