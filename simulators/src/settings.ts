import { FEED_CHANNEL } from './bank-api/feed-lines.ts';
import { PAYOUT_CHANNEL } from './bank-api/payouts.ts';
import { CHAT_BACKEND_CHANNEL } from './chat-backend/conversations.ts';
import type { GameServerState } from './games/game-server.ts';
import { PROVIDERS } from './games/providers.ts';
import type { Gateway } from './gateways/gateway.ts';
import type { Outside } from './outside/outside-file.ts';
import { WALLET_APP_CHANNEL } from './wallet-app/wallets.ts';

/** Back-off of bank and wallet app: five retries. */
const RETRY_MS = Array.from({ length: 5 }, () => 12_000);
const PAYOUT_DELAY_MS = 1_000;

/** Callback URL of a gateway, and its back-off after each failed attempt (milliseconds). */
export type CallbackSettings = { url: string; retryMs: readonly number[] };

/** Settings that can change at run time; a restart resets them. */
export type Settings = {
  qrLifeSeconds: number;
  payoutDelayMs: number;
  /** Whether the chat backend's robot replies until a person takes over. */
  chatRobot: boolean;
  callbacks: Record<string, CallbackSettings>;
  /** State of every provider in the outside file, by name. */
  games: Record<string, GameServerState>;
};

export function initialSettings(
  gateways: readonly Gateway[],
  { bank, walletApp, chatBackend, games }: Outside,
): Settings {
  const providers = PROVIDERS.filter((name) => games[name]);
  return {
    games: Object.fromEntries(
      providers.map((name): [string, GameServerState] => [
        name,
        { maintenance: false, launchRefused: false, pool: null },
      ]),
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
