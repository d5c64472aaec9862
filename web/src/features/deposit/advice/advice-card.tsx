import type { Recommendation } from '@krapao/contract/deposit-advice';
import type { UsualTime } from '@krapao/contract/usual-time';
import { useTranslation } from 'react-i18next';
import { formatTime } from '../../../format/date.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { TimeAndFee } from '../../../shared/time-and-fee.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { Spinner } from '../../../ui/core/loader.tsx';
import { Skeleton } from '../../../ui/data/skeleton.tsx';
import { MethodIcon, useMethodText } from '../method-list.tsx';
import { bankOf, type DepositMethod, isAutomatic, takesAnyBankApp } from '../methods.ts';
import { useMayAddText } from '../qrcode/qr-panel.tsx';

/** Placeholder of the card, with its height. */
export const CardSkeleton = () => <Skeleton className="h-21 w-full rounded-md" />;

export type AdviceCardProps = {
  advice: Recommendation;
  /** The recommended method; undefined without one. */
  method: DepositMethod | undefined;
  /** Its usual time. */
  usual: UsualTime | undefined;
  methods: readonly DepositMethod[];
  amount: number | undefined;
  /** The method that last created no code. */
  failed: string | undefined;
  isCreating: boolean;
  isOnline: boolean;
  /** Sets an amount that a method takes. */
  onUse: (amount: number) => void;
};

/** The recommended method with its reason as one button, or which amount would work. */
export function AdviceCard(props: AdviceCardProps) {
  const { advice, method, usual, amount, isCreating, isOnline } = props;
  const note = useNote(props);
  // On low screens it stays at the bottom while the rest scrolls.
  return (
    <div className="grid gap-2 short:sticky short:-bottom-3 short:z-10 short:-mx-1 short:bg-[var(--pane,var(--color-panel))] short:p-1 short:pb-3 narrow:static!">
      {advice.outcome === 'METHOD' && method ? (
        <MethodCard
          method={method}
          advice={advice}
          usual={usual}
          amount={amount}
          isCreating={isCreating}
          isDisabled={!isOnline}
        />
      ) : (
        <NoMethod {...props} />
      )}
      {/* Always there: only a change of its text is announced. */}
      <p role="status" className={note === '' ? 'sr-only' : 'rounded-md bg-amber-deep px-3 py-2 text-sm text-amber'}>
        {note}
      </p>
    </div>
  );
}

/** Why another method is recommended than before, and what keeps the button from working. */
function useNote({ advice, method, methods, failed, isOnline }: AdviceCardProps): string {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const nameOf = (id: string): string => {
    const found = methods.find((one) => one.id === id);
    return found ? (bankOf(found) ?? t('walletApp')) : '';
  };
  if (!isOnline) return t('advice.offline');
  const next = method && nameOf(method.id);
  if (failed !== undefined)
    return next === undefined ? t('advice.failedAll') : t('advice.failedNext', { name: nameOf(failed), next });
  if (advice.outcome !== 'METHOD' || !advice.instead || next === undefined) return '';
  const { id, bound, limit } = advice.instead;
  return t(bound === 'MINIMUM' ? 'advice.insteadMinimum' : 'advice.insteadMaximum', {
    name: nameOf(id),
    limit: money.format(limit),
    next,
  });
}

type MethodCardProps = {
  method: DepositMethod;
  advice: Extract<Recommendation, { outcome: 'METHOD' }>;
  usual: UsualTime | undefined;
  amount: number | undefined;
  isCreating: boolean;
  isDisabled: boolean;
};

function MethodCard({ method, advice, usual, amount, isCreating, isDisabled }: MethodCardProps) {
  const { t } = useTranslation('deposit');
  const { name } = useMethodText(method);
  const title = usePayText(method, amount);
  const mayAddText = useMayAddText()(method.kind === 'qr' ? method.account : undefined);
  const reason = useReasonText(advice, method, amount);
  return (
    <button
      type="submit"
      disabled={amount === undefined || isDisabled}
      aria-busy={isCreating || undefined}
      className="flex min-h-21 w-full items-center gap-3 rounded-md bg-lacquer px-3 py-2 text-left text-on-lacquer shadow-low ring-1 ring-gold/35 transition-[background-color,opacity] ring-inset enabled:hover:bg-lacquer-lit disabled:cursor-not-allowed disabled:opacity-70"
    >
      {isCreating ? <Spinner className="size-10 p-2" /> : <MethodIcon method={method} className="size-10" />}
      <span className="min-w-0 grow">
        <span className="block leading-normal font-semibold">{isCreating ? t('creating') : title}</span>
        {method.kind === 'qr' && <span className="block text-sm leading-normal">{name}</span>}
        {reason && <span className="block text-sm leading-normal text-on-lacquer/90">{reason}</span>}
        <TimeAndFee usual={usual} className="text-on-lacquer/90" />
        {takesAnyBankApp(method) && (
          <span className="block text-sm leading-normal text-on-lacquer/90">
            {[t('advice.anyBankApp'), mayAddText].filter(Boolean).join(' · ')}
          </span>
        )}
      </span>
    </button>
  );
}

/** What the button of a recommended method does. */
export function usePayText(method: DepositMethod, amount: number | undefined): string {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const { name } = useMethodText(method);
  const shown = amount === undefined ? undefined : money.format(amount);
  if (method.kind === 'qr')
    return shown === undefined ? t('advice.payByQr') : t('advice.payAmountByQr', { amount: shown });
  if (method.kind === 'bank' && !isAutomatic(method))
    return shown === undefined
      ? t('advice.payByBankAndSlip', { name })
      : t('advice.payAmountByBankAndSlip', { name, amount: shown });
  if (method.kind === 'bank')
    return shown === undefined ? t('advice.payByBank', { name }) : t('advice.payAmountByBank', { name, amount: shown });
  return shown === undefined ? t('advice.payByWallet') : t('advice.payAmountByWallet', { amount: shown });
}

function useReasonText(
  { reason }: MethodCardProps['advice'],
  method: DepositMethod,
  amount: number | undefined,
): string {
  const { t } = useTranslation('deposit');
  const { hint } = useMethodText(method);
  // Without an amount, "the only one" would have no meaning.
  const isUnnamed = reason === 'FITS' || (reason === 'ONLY_ONE' && amount === undefined);
  // Of an automatic method, time and fee say enough.
  const merit = method.kind === 'qr' ? hint : isAutomatic(method) ? '' : t('withSlip');
  return isUnnamed ? merit : t(`advice.reason.${reason}`);
}

function NoMethod({ advice, onUse, failed }: AdviceCardProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  if (advice.outcome === 'METHOD' || (failed !== undefined && advice.outcome === 'NONE')) return null;
  const { text, amounts } =
    advice.outcome === 'HEADROOM'
      ? {
          text:
            advice.freesAt === null
              ? t('advice.headroom', { amount: money.format(advice.headroom) })
              : t('advice.headroomFrees', { amount: money.format(advice.headroom), time: formatTime(advice.freesAt) }),
          amounts: advice.headroom > 0 ? [advice.headroom] : [],
        }
      : {
          text:
            [
              advice.maximum !== null && t('advice.upTo', { amount: money.format(advice.maximum) }),
              advice.minimum !== null && t('rangeFrom', { minimum: money.format(advice.minimum) }),
            ]
              .filter(Boolean)
              .join(' · ') || t('advice.none'),
          amounts: [advice.maximum, advice.minimum].filter((limit) => limit !== null),
        };
  return (
    <div className="flex min-h-21 flex-wrap items-center gap-2 rounded-md bg-raised px-3 py-2 ring-1 ring-line ring-inset">
      <p role="status" className="min-w-40 grow text-sm text-muted">
        {text}
      </p>
      {amounts.map((limit) => (
        <Button key={limit} variant="quiet" size="sm" onClick={() => onUse(limit)}>
          {t('advice.use', { amount: money.format(limit) })}
        </Button>
      ))}
    </div>
  );
}
