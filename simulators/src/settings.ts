import { FEED_CHANNEL } from './bank-api/lines.ts';
import { PAYOUT_CHANNEL } from './bank-api/payouts.ts';
import { CHAT_BACKEND_CHANNEL } from './chat-backend/conversations.ts';
import type { HallState } from './games/hall.ts';
import { PROVIDERS } from './games/providers.ts';
import type { Gateway } from './gateways/gateway.ts';
import type { Outside } from './outside-file.ts';
import { WALLET_APP_CHANNEL } from './wallet-app/wallets.ts';

/** Bank and wallet app try five times more. */
const RETRY_MS = Array.from({ length: 5 }, () => 12_000);
const PAYOUT_DELAY_MS = 1_000;

/** Where a gateway calls back, and how long it waits after each attempt that was not taken (milliseconds). */
export type CallbackSettings = { url: string; retryMs: readonly number[] };

/** What a test or a person may change while the process runs; a restart begins with the outside file again. */
export type Settings = {
  qrLifeSeconds: number;
  payoutDelayMs: number;
  /** Whether the chat backend's robot answers where no person has. */
  chatRobot: boolean;
  callbacks: Record<string, CallbackSettings>;
  /** Of every provider of the outside file, by its name. */
  games: Record<string, HallState>;
};

export function initialSettings(
  gateways: readonly Gateway[],
  { bank, walletApp, chatBackend, games }: Outside,
): Settings {
  const providers = PROVIDERS.filter((name) => games[name]);
  return {
    games: Object.fromEntries(
      providers.map((name): [string, HallState] => [name, { maintenance: false, launchRefused: false, pool: null }]),
    ),
    qrLifeSeconds: 600,
    payoutDelayMs: PAYOUT_DELAY_MS,
    chatRobot: chatBackend?.robot ?? false,
    callbacks: {
      ...Object.fromEntries(gateways.map(({ name, callback: { url, retryMs } }) => [name, { url, retryMs }])),
      [FEED_CHANNEL]: { url: bank.feedCallbackUrl, retryMs: RETRY_MS },
      [PAYOUT_CHANNEL]: { url: bank.payoutCallbackUrl, retryMs: RETRY_MS },
      [WALLET_APP_CHANNEL]: { url: walletApp.callbackUrl, retryMs: RETRY_MS },
      ...(chatBackend ? { [CHAT_BACKEND_CHANNEL]: { url: chatBackend.callbackUrl, retryMs: RETRY_MS } } : {}),
    },
  };
}
