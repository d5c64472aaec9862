import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../../ui/button.tsx';
import { HeldBack } from '../held-back.tsx';
import { LaunchTrouble } from './launch-trouble.tsx';
import type { Launch } from '../use-play.ts';

export type LaunchOutcomeProps = {
  launch: Launch;
  /** What the game is called. */
  name: string;
  /** Opens the game in the app's own tab, which no browser holds back. */
  onHere: () => void;
};

/** How the last press of "play" went, scrolled to where it is seen. */
export function LaunchOutcome({ launch, name, onHere }: LaunchOutcomeProps) {
  const place = useRef<HTMLDivElement>(null);
  const isToSee = launch.step === 'heldBack' || launch.step === 'failed' || launch.step === 'opened';
  useEffect(() => {
    if (isToSee) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isToSee]);
  if (!isToSee) return null;
  return (
    // The actions stand over the end of what scrolls.
    <div ref={place} className="scroll-mb-44 sm:scroll-mb-24">
      {launch.step === 'heldBack' && <HeldBack way={launch.way} name={name} />}
      {launch.step === 'failed' && <LaunchTrouble trouble={launch} />}
      {launch.step === 'opened' && <Opened onHere={onHere} />}
    </div>
  );
}

/** Whether a tab is visible can't be detected: browsers embedded in other apps may not show it. */
function Opened({ onHere }: { onHere: () => void }) {
  const { t } = useTranslation('game');
  return (
    <div role="status" className="flex flex-wrap items-center justify-between gap-x-2 rounded-md bg-raised px-4 py-1">
      <p className="text-sm">{t('opened')}</p>
      <Button variant="plain" size="sm" className="-mx-2 px-2!" onClick={onHere}>
        {t('openHere')}
      </Button>
    </div>
  );
}
