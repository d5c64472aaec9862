import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';
import { type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { type CommandState, useCommand } from '../../api/query/command.ts';
import { invalidateAndWait, queryClient } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { i18n } from '../../i18n/i18n.ts';
import type { CurrencyFormat } from '../../member/use-currency.ts';
import type { Slice, SpinResult } from './use-wheel.ts';
import type { WheelMotion } from './wheel-motion.ts';

/** Result of a spin after the wheel has stopped. */
export type StoppedSpin = { spinResult: SpinResult; slice: Slice | undefined };

export type SpinState = CommandState<null, StoppedSpin>;
export type SpinStep = SpinState['status'] | 'spinning';

type LoadSlices = (version: number) => Promise<readonly Slice[]>;

/** Query scopes that a spin or a claim may change. */
export const WHEEL_SCOPES = ['spinwheel', 'wallet', 'statement', 'bonus'];

export const reloadWheel = (): Promise<unknown> => invalidateAndWait(...WHEEL_SCOPES);

type WheelSetup = Reply<'GET /api/spinwheel/setup'>;

/** Updates the cached number of coins from the reply while the wheel is still rotating. */
const cacheCoins = (userCoin: number): unknown =>
  queryClient.setQueriesData<WheelSetup>(
    { queryKey: ['spinwheel', 'GET /api/spinwheel/setup'] },
    (setup) => setup && { result: { ...setup.result, userCoin } },
  );

/**
 * Spins the wheel for a coin: the server draws, then the wheel shows the result. Retrying a spin without a reply
 * returns the same result and takes no second coin.
 * @param slicesOf slices of a version of the wheel: those displayed, or reloaded ones
 */
export function useSpin(motionRef: RefObject<WheelMotion | null>, slicesOf: LoadSlices) {
  const [spinInProgress, setSpinInProgress] = useState<SpinResult>();

  // An operator may have changed the wheel since it was loaded, so the slices must be those of the drawn version.
  const rotateToResult = async ({ version, code }: SpinResult): Promise<Slice | undefined> => {
    const slices = await slicesOf(version);
    const index = slices.findIndex((slice) => slice.code === code);
    if (index < 0) motionRef.current?.release();
    else await motionRef.current?.rotateTo(index, slices.length);
    return slices[index];
  };

  const { state, send, reset, isBusy } = useCommand<null, StoppedSpin>({
    send: async (_, { key }) => {
      motionRef.current?.wind();
      const { success, error, result } = await call('POST /api/spinwheel/spin', { idempotencyKey: key, quiet: true });
      if (!success || !result) throw new SpinRefused(error ?? 'INTERNAL_SERVER_ERROR');
      cacheCoins(result.remainingCoin);
      setSpinInProgress(result);
      return { spinResult: result, slice: await rotateToResult(result) };
    },
    invalidates: [],
    onResult: (result) => {
      setSpinInProgress(undefined);
      if ('failure' in result) motionRef.current?.release();
      // After a prize, closing the prize's dialog reloads the wheel.
      if ('failure' in result || !result.reply.spinResult.hasPrize) void reloadWheel();
    },
  });
  const step: SpinStep = isBusy && spinInProgress ? 'spinning' : state.status;
  return { state, step, spin: () => void send(null), reset };
}

/** A refused spin or claim; the message is its code. */
export class SpinRefused extends Error {
  override readonly name = 'Refused';
}

/** The wheel's own text for a code of a reply or failure, else the general text. */
export function spinErrorText(failure: unknown): string {
  const code = failure instanceof Error ? failure.message : '';
  const text: unknown = i18n.getResource(i18n.language, 'spinwheel', ['error', code] as never);
  if (typeof text === 'string') return text;
  return failureText(failure instanceof SpinRefused ? new ApiFailure(code, 200) : failure);
}

/** Formats a prize: money, coins, a bonus or goods. */
export function usePrizeText(money: CurrencyFormat): (kind: PrizeKind, amount: number) => string {
  const { t } = useTranslation('spinwheel');
  return (kind, amount) => {
    if (kind === 'MONEY') return money.format(amount);
    if (kind === 'COINS') return t('coinCount', { count: amount });
    return t(kind === 'BONUS' ? 'oneBonus' : 'onePiece', { count: amount });
  };
}
