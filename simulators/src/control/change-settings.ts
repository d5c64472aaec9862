import { z } from 'zod';
import type { GameServerState } from '../games/game-server.ts';
import { readInput } from '../input.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';

const DAY_MS = 86_400_000;
const stateInput = z.strictObject({
  maintenance: z.boolean().optional(),
  launchRefused: z.boolean().optional(),
  pool: z.int().min(0).max(1_000_000).nullable().optional(),
});
type StateInput = z.output<typeof stateInput>;
const settingsInput = z.strictObject({
  qrLifeSeconds: z.int().min(1).max(86_400).optional(),
  payoutDelayMs: z.int().min(0).max(DAY_MS).optional(),
  chatRobot: z.boolean().optional(),
  callbacks: z
    .record(
      z.string(),
      z.strictObject({
        url: z.url().optional(),
        retryMs: z.array(z.int().min(1).max(DAY_MS)).max(20).optional(),
      }),
    )
    .optional(),
  games: z.record(z.string(), stateInput).optional(),
});

/** Changes settings. @throws Refusal for an unknown gateway or provider, without any change */
export function changeSettings(settings: Settings, body: unknown): void {
  const { qrLifeSeconds, payoutDelayMs, chatRobot, callbacks = {}, games = {} } = readInput(settingsInput, body);
  const unknownTarget = Object.keys(callbacks).find((name) => !Object.hasOwn(settings.callbacks, name));
  if (unknownTarget !== undefined)
    throw new Refusal(400, 'bad_input', `callbacks: there is no sender ${unknownTarget}`);
  const noProvider = Object.keys(games).find((name) => !Object.hasOwn(settings.games, name));
  if (noProvider !== undefined) throw new Refusal(400, 'bad_input', `games: there is no provider ${noProvider}`);
  if (qrLifeSeconds !== undefined) settings.qrLifeSeconds = qrLifeSeconds;
  if (payoutDelayMs !== undefined) settings.payoutDelayMs = payoutDelayMs;
  if (chatRobot !== undefined) settings.chatRobot = chatRobot;
  for (const [name, { url, retryMs }] of Object.entries(callbacks)) {
    const callbackSettings = settings.callbacks[name];
    if (callbackSettings)
      settings.callbacks[name] = { url: url ?? callbackSettings.url, retryMs: retryMs ?? callbackSettings.retryMs };
  }
  for (const [name, change] of Object.entries(games)) {
    const state = settings.games[name];
    if (state) changeState(state, change);
  }
}

function changeState(state: GameServerState, { maintenance, launchRefused, pool }: StateInput): void {
  if (maintenance !== undefined) state.maintenance = maintenance;
  if (launchRefused !== undefined) state.launchRefused = launchRefused;
  if (pool !== undefined) state.pool = pool;
}

/** Removes the query from callback URLs, because it contains their secrets. */
export function withoutSecrets(settings: Settings): Settings {
  const callbacksView = Object.entries(settings.callbacks).map(([name, { url, retryMs }]) => [
    name,
    { url: url.split('?')[0] ?? '', retryMs },
  ]);
  return { ...settings, callbacks: Object.fromEntries(callbacksView) };
}
