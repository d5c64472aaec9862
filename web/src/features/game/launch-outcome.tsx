import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { rememberLaunch } from '../../member/launches.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import type { Icon } from '../../ui/core/icons.tsx';
import { AndroidIcon, IosIcon, WebIcon } from '../../ui/data/member-icons.tsx';
import { gameLinks, type LinkKind } from './app-links.ts';
import { rememberGame, refreshOnReturn } from './game-return.ts';
import type { LaunchTarget } from './launch.ts';
import type { Launch } from './use-play.ts';

export type LaunchOutcomeProps = {
  launch: Launch;
  game: Pick<GameAccount, 'code' | 'name'>;
  /** Opens the game in the current tab, which popup blockers don't prevent. */
  onOpenHere: () => void;
};

/** Result of the last launch, scrolled into view. */
export function LaunchOutcome({ launch, game, onOpenHere }: LaunchOutcomeProps) {
  const outcomeRef = useRef<HTMLDivElement>(null);
  const mustScrollIntoView = launch.step === 'heldBack' || launch.step === 'failed' || launch.step === 'opened';
  useEffect(() => {
    if (mustScrollIntoView) outcomeRef.current?.scrollIntoView({ block: 'nearest' });
  }, [mustScrollIntoView]);
  if (!mustScrollIntoView) return null;
  return (
    // Scroll margin for the sticky actions, which cover the end of the scroll area.
    <div ref={outcomeRef} className="scroll-mb-44 sm:scroll-mb-24">
      {launch.step === 'heldBack' && <PopupBlocked target={launch.target} game={game} />}
      {launch.step === 'failed' && <LaunchError launchFailure={launch} name={game.name} />}
      {launch.step === 'opened' && <OpenedNote onOpenHere={onOpenHere} />}
    </div>
  );
}

/** Shown after a launch. The app can't detect whether the new tab is visible: embedded browsers may not show it. */
function OpenedNote({ onOpenHere }: { onOpenHere: () => void }) {
  const { t } = useTranslation('game');
  return (
    <div role="status" className="flex flex-wrap items-center justify-between gap-x-2 rounded-md bg-raised px-4 py-1">
      <p className="text-sm">{t('opened')}</p>
      <Button variant="plain" size="sm" className="-mx-2 px-2!" onClick={onOpenHere}>
        {t('openHere')}
      </Button>
    </div>
  );
}

/** Failure of a launch, and whether the money was transferred to the game: by the transfer with this reference. */
export type LaunchFailure = { failure: unknown; isMoneyIn: boolean; reference?: string | undefined };

const explainedDetails = ['MAINTENANCE', 'LAUNCH_REFUSED', 'PROVIDER_SILENT', 'PROVIDER_UNREACHABLE'] as const;

/** Explains a failed launch: cause, location of the money, and next action. Stays until the next launch. */
export function LaunchError({ launchFailure, name }: { launchFailure: LaunchFailure; name: string }) {
  const { t } = useTranslation('game');
  const { failure, isMoneyIn, reference } = launchFailure;
  // The text of the code is about maintenance, which is one cause of several.
  const detail = explainedDetails.find((explained) => failure instanceof ApiFailure && failure.detail === explained);
  return (
    <div role="alert" className="grid gap-1 rounded-md bg-coral-deep px-4 py-3 text-sm">
      <p className="font-semibold text-coral">{t('launchFailed')}</p>
      <p className="whitespace-pre-line">{detail ? t(`launchTrouble.${detail}`) : failureText(failure)}</p>
      <p className="text-ivory/85">{t(isMoneyIn ? 'launchMoneyIn' : 'launchMoney')}</p>
      <AskSupport
        {...(isMoneyIn ? { kind: 'transfer', reference } : { question: t('launchQuestion', { name }) })}
        className="mt-0!"
      />
    </div>
  );
}

const linkIcons: Record<LinkKind, Icon> = { web: WebIcon, android: AndroidIcon, ios: IosIcon };

/** Links to the game's site and apps, if the account has any. */
export function OtherLaunchOptions({ game, inNewTab }: { game: GameAccount; inNewTab: boolean }) {
  const { t } = useTranslation('game');
  const links = gameLinks(game);
  if (links.length === 0) return null;
  // If the game has one fixed site, "play" opens that site as well.
  const title = t(game.launch === 'fixed' ? 'itsSite' : 'otherWays');
  return (
    <section aria-label={title} className="grid gap-2">
      <h3 className="text-sm font-medium text-muted">{title}</h3>
      <div className="grid auto-cols-fr grid-flow-col gap-2">
        {links.map(({ kind, url, isPage }) => {
          const LinkIcon = linkIcons[kind];
          return (
            <a
              key={kind}
              href={url}
              // An app's own scheme opens no page, so a new tab would stay empty.
              target={isPage && inNewTab ? '_blank' : undefined}
              rel="noopener noreferrer"
              onClick={() => {
                rememberLaunch(game.code);
                refreshOnReturn();
                if (isPage && !inNewTab) rememberGame(game.code);
              }}
              className={`${buttonClass('quiet', 'sm')} hover:bg-line`}
            >
              <LinkIcon className="size-5 text-gold" />
              {t(`way.${kind}`)}
            </a>
          );
        })}
      </div>
      {game.launch !== 'fixed' && <p className="text-sm text-faint">{t('otherWaysText')}</p>}
    </section>
  );
}

/** Shown if the popup was blocked: the link or form opens the game, because blockers allow a direct press. */
export function PopupBlocked({ target, game }: { target: LaunchTarget; game: LaunchOutcomeProps['game'] }) {
  const { t } = useTranslation('game');
  const linkText = t('blockedLink', { name: game.name });
  return (
    <div role="alert" className="grid gap-2 rounded-md bg-amber-deep px-4 py-3">
      <p className="text-sm text-amber">{t('blocked')}</p>
      {target.kind === 'link' ? (
        <a
          href={target.link}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => rememberLaunch(game.code)}
          className={buttonClass('gold', 'sm')}
        >
          {linkText}
        </a>
      ) : (
        <form
          method="post"
          action={target.form.action}
          target="_blank"
          rel="noopener noreferrer"
          onSubmit={() => rememberLaunch(game.code)}
          className="grid"
        >
          {Object.entries(target.form.fields).map(([field, value]) => (
            <input key={field} type="hidden" name={field} value={value} />
          ))}
          <Button type="submit" variant="gold" size="sm">
            {linkText}
          </Button>
        </form>
      )}
    </div>
  );
}
