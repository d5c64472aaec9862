import type { CustomerMessage, OtherMessage } from '@krapao/contract/endpoints/chat';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../ui/icon-button.tsx';
import { PictureIcon } from '../../../ui/icons/deposit-icons.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../../../ui/icons/shell-icons.tsx';
import { MessageButtons } from './message-buttons.tsx';
import { webAddress } from '../../../web-address.ts';

type Cards = Extract<OtherMessage, { message_type: 'generic' }>['payload']['elements'];
type Act = (message: CustomerMessage) => void;

/** A row of cards: swiped by finger, moved by keys or by the arrows. */
export function MessageCards({ cards, onAct }: { cards: Cards; onAct: Act }) {
  const { t } = useTranslation('chat');
  const row = useRef<HTMLUListElement>(null);
  const turn = (by: 1 | -1): void => {
    const width = row.current?.firstElementChild?.clientWidth ?? 0;
    row.current?.scrollBy({ left: by * width, behavior: 'smooth' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if ((by !== 1 && by !== -1) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turn(by);
  };
  return (
    <div role="group" aria-label={t('media.cards', { count: cards.length })} className="w-full min-w-0">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- keys scroll what is focused */}
      <ul
        ref={row}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a part that is scrolled can be focused
        tabIndex={0}
        aria-label={t('media.cards', { count: cards.length })}
        onKeyDown={onKeyDown}
        className="flex snap-x snap-mandatory gap-3 overflow-x-auto overscroll-x-contain rounded-md pb-2"
      >
        {cards.map((card, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- a message that was sent doesn't change
          <Card key={i} card={card} onAct={onAct} />
        ))}
      </ul>
      {cards.length > 1 && (
        <p className="flex justify-end pointer-coarse:hidden">
          <IconButton label={t('media.previousCard')} onClick={() => turn(-1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton label={t('media.nextCard')} onClick={() => turn(1)}>
            <ChevronRightIcon />
          </IconButton>
        </p>
      )}
    </div>
  );
}

function Card({ card: { title, subtitle, image_url, buttons }, onAct }: { card: Cards[number]; onAct: Act }) {
  return (
    <li className="flex w-60 max-w-[85%] shrink-0 snap-start flex-col overflow-clip rounded-lg bg-panel shadow-low ring-1 ring-line ring-inset">
      {image_url !== '' && <CardPicture address={webAddress(image_url)} />}
      <div className="flex grow flex-col gap-3 p-3">
        <div className="grow">
          <h3 dir="auto" className="font-semibold">
            {title}
          </h3>
          {subtitle && (
            <p dir="auto" className="text-sm whitespace-pre-wrap text-muted">
              {subtitle}
            </p>
          )}
        </div>
        <MessageButtons buttons={buttons} onAct={onAct} />
      </div>
    </li>
  );
}

/** Its place is kept whether it comes or not. The title beside it says what it shows. */
function CardPicture({ address }: { address: string | undefined }) {
  const [hasFailed, setFailed] = useState(false);
  return (
    <div className="relative flex aspect-video items-center justify-center bg-well text-line">
      {address && !hasFailed ? (
        <img
          src={address}
          alt=""
          decoding="async"
          referrerPolicy="no-referrer"
          onError={() => setFailed(true)}
          className="absolute inset-0 size-full object-cover"
        />
      ) : (
        <PictureIcon className="size-10" />
      )}
    </div>
  );
}
