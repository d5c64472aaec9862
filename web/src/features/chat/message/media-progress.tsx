import { useTranslation } from 'react-i18next';
import { Spinner } from '../../../ui/state/spinner.tsx';
import type { Outgoing } from '../conversation/outgoing.ts';

/** Over a file that is on its way: how much of it has gone. Nothing once it has failed, or arrived. */
export function MediaProgress({ outgoing }: { outgoing: Outgoing | undefined }) {
  const { t } = useTranslation('chat');
  if (outgoing?.state !== 'uploading_file' && outgoing?.state !== 'sending') return null;
  const { progress } = outgoing;
  const percent = Math.floor(progress * 100);
  return (
    <div className="pointer-events-none absolute inset-0 flex items-center justify-center bg-well/65">
      <Spinner className="size-8 text-gold-lit" />
      <div
        role="progressbar"
        aria-label={t('attach.progress')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="absolute inset-x-3 bottom-3 h-1.5 overflow-hidden rounded-full bg-well ring-1 ring-line"
      >
        <div className="h-full origin-left bg-gold transition-transform" style={{ transform: `scaleX(${progress})` }} />
      </div>
    </div>
  );
}
