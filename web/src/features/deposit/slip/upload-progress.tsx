import { useTranslation } from 'react-i18next';

/** How much of a file has gone. @param part 0 to 1 */
export function UploadProgress({ part }: { part: number }) {
  const { t } = useTranslation('deposit');
  const percent = Math.floor(part * 100);
  return (
    <div className="grid gap-1">
      <p className="flex justify-between text-sm text-muted">
        {t(percent < 100 ? 'slipSending' : 'slipChecking')}
        <span className="amount">{percent}%</span>
      </p>
      <div
        role="progressbar"
        aria-label={t('slipProgress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-2 overflow-hidden rounded-full bg-well ring-1 ring-line"
      >
        <div className="h-full origin-left bg-gold transition-transform" style={{ transform: `scaleX(${part})` }} />
      </div>
    </div>
  );
}
