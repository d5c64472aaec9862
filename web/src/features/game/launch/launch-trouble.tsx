import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../../api/failure.ts';
import { withDetail } from '../../../shared/errors/refusal-text.ts';

/** Why a game didn't open, and whether the money that was to go along is in it. */
export type Trouble = { failure: unknown; isMoneyIn: boolean };

const details = ['MAINTENANCE', 'LAUNCH_REFUSED', 'PROVIDER_SILENT', 'PROVIDER_UNREACHABLE'] as const;

/** Tells why a game didn't open, what that means for the money, and what to do. Stays until the next press. */
export function LaunchTrouble({ trouble: { failure, isMoneyIn } }: { trouble: Trouble }) {
  const { t } = useTranslation('game');
  const detail = details.find((known) => failure instanceof ApiFailure && failure.detail === known);
  return (
    <div role="alert" className="grid gap-1 rounded-md bg-coral-deep px-4 py-3 text-sm">
      <p className="font-semibold text-coral">{t('launchFailed')}</p>
      <p className="whitespace-pre-line">{withDetail(failure, detail && t(`launchTrouble.${detail}`))}</p>
      <p className="text-ivory/85">{t(isMoneyIn ? 'launchMoneyIn' : 'launchMoney')}</p>
    </div>
  );
}
