import { type RefObject, useState } from 'react';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { invalidateAndWait, queryClient } from '../../api/query/query.ts';
import { type CommandState, useCommand } from '../../api/query/command.ts';
import type { WheelMotion } from './wheel-motion.ts';
import type { Slice, SpinResult } from './use-wheel.ts';
import { ApiFailure } from '../../api/errors.ts';
import { failureText } from '../../shell/error-text.ts';
import { i18n } from '../../i18n/i18n.ts';
import { useTranslation } from 'react-i18next';
import type { Money } from '../../member/money.ts';
import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';

/** A spin whose wheel has stopped. */
export type Spun = { spun: SpinResult; slice: Slice | undefined };

export type SpinState = CommandState<null, Spun>;
export type SpinStep = SpinState['status'] | 'spinning';

type SlicesOf = (version: number) => Promise<readonly Slice[]>;

/** Scopes of everything that a spin or a claim may have changed. */
export const WHEEL_SCOPES = ['spinwheel', 'wallet', 'statement', 'bonus'];

export const reloadWheel = (): Promise<unknown> => invalidateAndWait(...WHEEL_SCOPES);

type Setup = Reply<'GET /api/spinwheel/setup'>;

/** Updates the coins with the reply, while the wheel is still rotating. */
const noteCoins = (userCoin: number): unknown =>
  queryClient.setQueriesData<Setup>(
    { queryKey: ['spinwheel', 'GET /api/spinwheel/setup'] },
    (setup) => setup && { result: { ...setup.result, userCoin } },
  );

/**
 * Spins the wheel for a coin: the server draws, then the wheel shows the result. A retry without a reply returns the same
 * spin and takes no second coin.
 * @param slicesOf slices of a version of the wheel: the displayed one, or reloaded
 */
export function useSpin(motion: RefObject<WheelMotion | null>, slicesOf: SlicesOf) {
  const [spinning, setSpinning] = useState<SpinResult>();

  // An operator may have changed the wheel since it was loaded: the spin belongs to the version that it was drawn on.
  const rotate = async ({ version, code }: SpinResult): Promise<Slice | undefined> => {
    const slices = await slicesOf(version);
    const index = slices.findIndex((slice) => slice.code === code);
    if (index < 0) motion.current?.release();
    else await motion.current?.rotateTo(index, slices.length);
    return slices[index];
  };

  const { state, send, reset, isBusy } = useCommand<null, Spun>({
    send: async (_, { key }) => {
      motion.current?.wind();
      const { success, error, result } = await call('POST /api/spinwheel/spin', { idempotencyKey: key, quiet: true });
      if (!success || !result) throw new SpinRefused(error ?? 'INTERNAL_SERVER_ERROR');
      noteCoins(result.remainingCoin);
      setSpinning(result);
      return { spun: result, slice: await rotate(result) };
    },
    invalidates: [],
    onResult: (result) => {
      setSpinning(undefined);
      if ('failure' in result) motion.current?.release();
      // With a prize, closing its dialog reloads.
      if ('failure' in result || !result.reply.spun.hasPrize) void reloadWheel();
    },
  });
  const step: SpinStep = isBusy && spinning ? 'spinning' : state.status;
  return { state, step, spin: () => void send(null), reset };
}

/** A refused spin or claim with its code. */
export class SpinRefused extends Error {
  override readonly name = 'Refused';
}

/** The wheel's text for a code of a reply or a failure; else the common one. */
export function spinErrorText(failure: unknown): string {
  const code = failure instanceof Error ? failure.message : '';
  const words: unknown = i18n.getResource(i18n.language, 'spinwheel', ['error', code] as never);
  if (typeof words === 'string') return words;
  return failureText(failure instanceof SpinRefused ? new ApiFailure(code, 200) : failure);
}

/** @returns a prize as text: money, coins, a bonus or goods */
export function usePrizeWords(money: Money): (kind: PrizeKind, amount: number) => string {
  const { t } = useTranslation('spinwheel');
  return (kind, amount) => {
    if (kind === 'MONEY') return money.text(amount);
    if (kind === 'COINS') return t('coinCount', { count: amount });
    return t(kind === 'BONUS' ? 'oneBonus' : 'onePiece', { count: amount });
  };
}
