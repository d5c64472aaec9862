import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { useDelayed } from '../../ui/state/use-delayed.ts';
import type { WheelMotion } from './wheel/wheel-motion.ts';
import { reloadWheel, type SpinStep, useSpin } from './use-spin.ts';
import type { Slice, WheelReply as WheelData, WheelDialogs } from './wheel/use-wheel.ts';
import { Wheel } from './wheel/wheel.tsx';
import { DialogBoundary } from '../../shared/errors/dialog-boundary.tsx';

/** Waiting longer than this is given words. */
const WORDLESS_MS = 2_000;

export type OpenWheelProps = {
  dialogs: WheelDialogs | undefined;
  /** A dialog is going to be needed. */
  onDialog: () => void;
  wheel: WheelData;
  slicesOf: (version: number) => Promise<readonly Slice[]>;
};

/** The wheel with its button, the outcome of the spin, and how to earn coins. */
export function OpenWheel({ dialogs, onDialog, wheel, slicesOf }: OpenWheelProps) {
  const { t } = useTranslation('spinwheel');
  const money = useMoney();
  const motion = useRef<WheelMotion>(null);
  const { state, spin, rest } = useSpin(motion, slicesOf);
  const { activeSpinwheel, userCoin, coinPer } = wheel;
  const press = (): void => {
    onDialog();
    if (userCoin > 0) void spin();
  };
  const close = (): void => {
    rest();
    void reloadWheel();
  };
  return (
    <>
      <Wheel
        ref={motion}
        name={activeSpinwheel.name}
        slices={activeSpinwheel.sliceList}
        coins={userCoin}
        step={state.step}
        onPress={press}
      />
      <div className="grid gap-1 text-center">
        <Words state={state} coins={userCoin} />
        <p className="text-sm text-muted">{t('earn', { amount: money.text(coinPer) })}</p>
      </div>
      {dialogs && state.step === 'stopped' && state.spun.hasPrize && (
        <DialogBoundary part="dialog prize" onClose={close}>
          <dialogs.PrizeModal spun={state.spun} slice={state.slice} onClose={close} />
        </DialogBoundary>
      )}
      {dialogs && (state.step === 'failed' || state.step === 'undecided') && (
        <DialogBoundary part="dialog spin" onClose={rest}>
          <dialogs.SpinTrouble state={state} onClose={rest} onAgain={() => void spin()} />
        </DialogBoundary>
      )}
    </>
  );
}

/** What there is to say below the wheel, read out when it changes. */
function Words({ state, coins }: { state: SpinStep; coins: number }) {
  const { t } = useTranslation('spinwheel');
  const isSlow = useDelayed(state.step === 'asking', WORDLESS_MS);
  const words = (): string => {
    if (isSlow) return t('asking');
    if (state.step === 'spinning') return t('spinning');
    if (state.step === 'stopped') return state.spun.hasPrize ? t('won', { label: state.spun.label }) : t('nothing');
    return coins > 0 ? t('ready') : t('noCoins');
  };
  return (
    <p role="status" className="min-h-14 content-end font-semibold">
      {words()}
    </p>
  );
}
