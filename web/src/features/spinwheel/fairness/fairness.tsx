import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loadWords } from '../../../i18n/load-words.ts';
import { ChevronDownIcon } from '../../../ui/icons/shell-icons.tsx';
import { ConditionsIcon } from '../../../ui/icons/member-icons.tsx';
import { Skeleton } from '../../../ui/state/skeleton.tsx';
import { usePart } from '../use-part.ts';
import type { WheelReply } from '../wheel/wheel-slice.ts';

/** Comes when it is opened, with its words: most never look, and all may. */
const loadPanel = async () => {
  const [{ FairnessPanel }] = await Promise.all([import('./fairness-panel.tsx'), loadWords(['fairness'])]);
  return { FairnessPanel };
};

/** How anybody can check that the draws are fair, folded away. */
export function Fairness({ wheel }: { wheel: WheelReply }) {
  const { t } = useTranslation('spinwheel');
  const [isOpen, setOpen] = useState(false);
  const { part: panel } = usePart(loadPanel, isOpen);
  return (
    <details
      className="group rounded-lg bg-panel shadow-low ring-1 ring-line"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex min-h-14 list-none items-center gap-3 rounded-lg px-5 py-3 [&::-webkit-details-marker]:hidden">
        <ConditionsIcon className="size-6 shrink-0 text-jade" />
        <h2 className="grow text-base font-semibold">{t('verify')}</h2>
        <ChevronDownIcon className="size-5 shrink-0 text-muted transition-transform group-open:rotate-180" />
      </summary>
      {isOpen && (
        <div className="px-5 pb-5">
          {panel ? <panel.FairnessPanel wheel={wheel} /> : <Skeleton className="h-64 w-full" />}
        </div>
      )}
    </details>
  );
}
