import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import type { Launch } from './use-play.ts';
import { ApiFailure } from '../../api/errors.ts';
import { withDetail } from '../../shared/refusal-text.ts';
import type { GameAccount } from '../../member/wallet.ts';
import type { Icon } from '../../ui/core/icons.tsx';
import { AndroidIcon, IosIcon, WebIcon } from '../../ui/game-icons.tsx';
import { gameLinks, type LinkKind } from './app-links.ts';
import { rememberGame, refreshOnReturn } from '../../member/same-tab-return.ts';
import type { LaunchTarget } from './launch.ts';

export type LaunchOutcomeProps = {
  launch: Launch;
  /** Display name of the game. */
  name: string;
  /** Opens the game in the app's own tab, which no popup blocker prevents. */
  onHere: () => void;
};

/** Result of the last launch, scrolled into view. */
export function LaunchOutcome({ launch, name, onHere }: LaunchOutcomeProps) {
  const place = useRef<HTMLDivElement>(null);
  const isToSee = launch.step === 'heldBack' || launch.step === 'failed' || launch.step === 'opened';
  useEffect(() => {
    if (isToSee) place.current?.scrollIntoView({ block: 'nearest' });
  }, [isToSee]);
  if (!isToSee) return null;
  return (
    // The sticky actions cover the end of the scroll area.
    <div ref={place} className="scroll-mb-44 sm:scroll-mb-24">
      {launch.step === 'heldBack' && <PopupBlocked way={launch.way} name={name} />}
      {launch.step === 'failed' && <LaunchError trouble={launch} />}
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

/** Why a game didn't open, and whether the money reached it. */
export type LaunchFailure = { failure: unknown; isMoneyIn: boolean };

const details = ['MAINTENANCE', 'LAUNCH_REFUSED', 'PROVIDER_SILENT', 'PROVIDER_UNREACHABLE'] as const;

/** Explains a failed launch: the cause, where the money is, and the next action. Stays until the next launch. */
export function LaunchError({ trouble: { failure, isMoneyIn } }: { trouble: LaunchFailure }) {
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

const icons: Record<LinkKind, Icon> = { web: WebIcon, android: AndroidIcon, ios: IosIcon };

/** The game's site and apps, if the account has any. */
export function OtherLaunchOptions({ game, inNewTab }: { game: GameAccount; inNewTab: boolean }) {
  const { t } = useTranslation('game');
  const links = gameLinks(game);
  if (links.length === 0) return null;
  // For a game with one fixed site, "play" opens it too.
  const title = t(game.launch === 'fixed' ? 'itsSite' : 'otherWays');
  return (
    <section aria-label={title} className="grid gap-2">
      <h3 className="text-sm font-medium text-muted">{title}</h3>
      <div className="grid auto-cols-fr grid-flow-col gap-2">
        {links.map(({ kind, address, isPage }) => {
          const WayIcon = icons[kind];
          return (
            <a
              key={kind}
              href={address}
              // An app's own scheme opens no page: its tab would stay empty.
              target={isPage && inNewTab ? '_blank' : undefined}
              rel="noopener noreferrer"
              onClick={() => {
                refreshOnReturn();
                if (isPage && !inNewTab) rememberGame(game.code);
              }}
              className={`${buttonClass('quiet', 'sm')} hover:bg-line`}
            >
              <WayIcon className="size-5 text-gold" />
              {t(`way.${kind}`)}
            </a>
          );
        })}
      </div>
      {game.launch !== 'fixed' && <p className="text-sm text-faint">{t('otherWaysText')}</p>}
    </section>
  );
}

/** The popup was blocked: this link opens the game, which no blocker prevents. */
export function PopupBlocked({ way, name }: { way: LaunchTarget; name: string }) {
  const { t } = useTranslation('game');
  const words = t('blockedLink', { name });
  return (
    <div role="alert" className="grid gap-2 rounded-md bg-amber-deep px-4 py-3">
      <p className="text-sm text-amber">{t('blocked')}</p>
      {way.kind === 'link' ? (
        <a href={way.link} target="_blank" rel="noopener noreferrer" className={buttonClass('gold', 'sm')}>
          {words}
        </a>
      ) : (
        <form method="post" action={way.form.action} target="_blank" rel="noopener noreferrer" className="grid">
          {Object.entries(way.form.fields).map(([field, value]) => (
            <input key={field} type="hidden" name={field} value={value} />
          ))}
          <Button type="submit" variant="gold" size="sm">
            {words}
          </Button>
        </form>
      )}
    </div>
  );
}
