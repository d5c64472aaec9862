import { useTranslation } from 'react-i18next';
import type { GameAccount } from '../../../shared/wallet/use-wallet.ts';
import { buttonClass } from '../../../ui/button-class.ts';
import type { Icon } from '../../../ui/icons/icon.tsx';
import { AndroidIcon, IosIcon, WebIcon } from '../../../ui/icons/game-icons.tsx';
import { gameLinks, type LinkKind } from './app-link.ts';
import { noteLeaving, refreshOnReturn } from './leaving.ts';

const icons: Record<LinkKind, Icon> = { web: WebIcon, android: AndroidIcon, ios: IosIcon };

/** The game's site and its apps, where the account has them. */
export function OtherWays({ game, inNewTab }: { game: GameAccount; inNewTab: boolean }) {
  const { t } = useTranslation('game');
  const links = gameLinks(game);
  if (links.length === 0) return null;
  // Of a game with one fixed site, that is where "play" leads too.
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
              // An app's own scheme opens no page: a tab for it would stay empty.
              target={isPage && inNewTab ? '_blank' : undefined}
              rel="noopener noreferrer"
              onClick={() => {
                refreshOnReturn();
                if (isPage && !inNewTab) noteLeaving(game.code);
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
