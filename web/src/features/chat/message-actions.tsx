import type { ChatButton, CustomerMessage, SupportMessage } from '@krapao/contract/endpoints/chat';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { webAddress } from '../../format/web-address.ts';
import { CallIcon, OpenIcon } from '../../ui/chat-icons.tsx';
import { buttonClass } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { ChevronLeftIcon, ChevronRightIcon } from '../../ui/core/icons.tsx';
import { ImageIcon } from '../../ui/deposit-icons.tsx';
import { phoneUrlOf, externalLinkProps } from './message-text.tsx';

export type MessageButtonsProps = { buttons: readonly ChatButton[]; onAct: (message: CustomerMessage) => void };

const actionClass = `${buttonClass('quiet', 'sm', true)} [&>svg]:size-4.5 [&>svg]:text-gold`;

/** Buttons of a reply, one below the other. */
export function MessageButtons({ buttons, onAct }: MessageButtonsProps) {
  if (buttons.length === 0) return null;
  return (
    <ul className="grid gap-2">
      {buttons.map((button, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a message that was sent doesn't change
        <li key={i}>
          <MessageButton button={button} onAct={onAct} />
        </li>
      ))}
    </ul>
  );
}

function MessageButton({ button, onAct }: { button: ChatButton; onAct: MessageButtonsProps['onAct'] }) {
  const { title } = button;
  if (button.type === 'web') return <LinkButton title={title} href={webAddress(button.url)} isWeb />;
  if (button.type === 'call') return <LinkButton title={title} href={phoneUrlOf(button.phone)} />;
  const message: CustomerMessage =
    button.type === 'postback'
      ? { message_type: 'postback', payload: { title, payload: button.payload } }
      : { message_type: 'text', payload: { text: title } };
  return (
    <button
      type="button"
      className={actionClass}
      onClick={({ detail }) => {
        // Ignores the second press of a double click.
        if (detail < 2) onAct(message);
      }}
    >
      <span dir="auto">{title}</span>
    </button>
  );
}

/** Link of a reply; an unsafe URL is rendered as text without a link. */
function LinkButton({ title, href, isWeb = false }: { title: string; href: string | undefined; isWeb?: boolean }) {
  const titleText = <span dir="auto">{title}</span>;
  if (!href) return <p className="px-4 py-2 text-center text-sm text-faint">{titleText}</p>;
  return (
    <a href={href} {...(isWeb && externalLinkProps)} className={actionClass}>
      {isWeb ? <OpenIcon /> : <CallIcon />}
      {titleText}
    </a>
  );
}

type QuickReplyList = Extract<SupportMessage, { message_type: 'quick_replies' }>['payload']['quick_replies'];

/** Quick replies. Choosing one sends it and removes all of them. */
export function QuickReplies({
  replies,
  onAct,
}: {
  replies: QuickReplyList;
  onAct: (message: CustomerMessage) => void;
}) {
  const { t } = useTranslation('chat');
  return (
    <ul aria-label={t('media.quickReplies')} className="mt-2 flex animate-rise flex-wrap gap-2">
      {replies.map(({ title, payload }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a message that was sent doesn't change
        <li key={i} className="max-w-full">
          <button
            type="button"
            dir="auto"
            className="min-h-11 max-w-full rounded-full bg-raised px-4 py-1.5 text-left text-sm font-semibold text-gold-lit ring-1 ring-gold/60 transition-colors ring-inset hover:bg-line"
            onClick={() =>
              onAct(
                payload === ''
                  ? { message_type: 'text', payload: { text: title } }
                  : { message_type: 'postback', payload: { title, payload } },
              )
            }
          >
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

type CardList = Extract<SupportMessage, { message_type: 'generic' }>['payload']['elements'];
type ActionHandler = (message: CustomerMessage) => void;

/** Row of cards, scrolled by swiping, arrow keys or arrow buttons. */
export function MessageCards({ cards, onAct }: { cards: CardList; onAct: ActionHandler }) {
  const { t } = useTranslation('chat');
  const row = useRef<HTMLUListElement>(null);
  const scrollCards = (direction: 1 | -1): void => {
    const width = row.current?.firstElementChild?.clientWidth ?? 0;
    row.current?.scrollBy({ left: direction * width, behavior: 'smooth' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if ((direction !== 1 && direction !== -1) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    scrollCards(direction);
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
          <MessageCard key={i} card={card} onAct={onAct} />
        ))}
      </ul>
      {cards.length > 1 && (
        <p className="flex justify-end pointer-coarse:hidden">
          <IconButton label={t('media.previousCard')} onClick={() => scrollCards(-1)}>
            <ChevronLeftIcon />
          </IconButton>
          <IconButton label={t('media.nextCard')} onClick={() => scrollCards(1)}>
            <ChevronRightIcon />
          </IconButton>
        </p>
      )}
    </div>
  );
}

function MessageCard({
  card: { title, subtitle, image_url, buttons },
  onAct,
}: {
  card: CardList[number];
  onAct: ActionHandler;
}) {
  return (
    <li className="flex w-60 max-w-[85%] shrink-0 snap-start flex-col overflow-clip rounded-lg bg-panel shadow-low ring-1 ring-line ring-inset">
      {image_url !== '' && <CardImage imageUrl={webAddress(image_url)} />}
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

/** Image of a card. Its space stays reserved even if it fails to load. The title beside it describes it. */
function CardImage({ imageUrl }: { imageUrl: string | undefined }) {
  const [hasFailed, setFailed] = useState(false);
  return (
    <div className="relative flex aspect-video items-center justify-center bg-well text-line">
      {imageUrl && !hasFailed ? (
        <img
          src={imageUrl}
          alt=""
          decoding="async"
          referrerPolicy="no-referrer"
          onError={() => setFailed(true)}
          className="absolute inset-0 size-full object-cover"
        />
      ) : (
        <ImageIcon className="size-10" />
      )}
    </div>
  );
}
