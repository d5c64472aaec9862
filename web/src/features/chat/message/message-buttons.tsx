import type { ChatButton, CustomerMessage, OtherMessage } from '@krapao/contract/endpoints/chat';
import { buttonClass } from '../../../ui/button-class.ts';
import { CallIcon, OpenIcon } from '../../../ui/icons/media-icons.tsx';
import { webAddress } from '../../../web-address.ts';
import { dialAddress, outward } from './linked-text.tsx';
import { useTranslation } from 'react-i18next';

export type MessageButtonsProps = { buttons: readonly ChatButton[]; onAct: (message: CustomerMessage) => void };

const look = `${buttonClass('quiet', 'sm', true)} [&>svg]:size-4.5 [&>svg]:text-gold`;

/** The buttons under what the other side wrote, one below the other. */
export function MessageButtons({ buttons, onAct }: MessageButtonsProps) {
  if (buttons.length === 0) return null;
  return (
    <ul className="grid gap-2">
      {buttons.map((button, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a message that was sent doesn't change
        <li key={i}>
          <OneButton button={button} onAct={onAct} />
        </li>
      ))}
    </ul>
  );
}

function OneButton({ button, onAct }: { button: ChatButton; onAct: MessageButtonsProps['onAct'] }) {
  const { title } = button;
  if (button.type === 'web') return <LinkButton title={title} href={webAddress(button.url)} isWeb />;
  if (button.type === 'call') return <LinkButton title={title} href={dialAddress(button.phone)} />;
  const message: CustomerMessage =
    button.type === 'postback'
      ? { message_type: 'postback', payload: { title, payload: button.payload } }
      : { message_type: 'text', payload: { text: title } };
  return (
    <button
      type="button"
      className={look}
      onClick={({ detail }) => {
        // The second press of a double one isn't another.
        if (detail < 2) onAct(message);
      }}
    >
      <span dir="auto">{title}</span>
    </button>
  );
}

/** An address that can't be trusted leaves the words, and nothing to press. */
function LinkButton({ title, href, isWeb = false }: { title: string; href: string | undefined; isWeb?: boolean }) {
  const words = <span dir="auto">{title}</span>;
  if (!href) return <p className="px-4 py-2 text-center text-sm text-faint">{words}</p>;
  return (
    <a href={href} {...(isWeb && outward)} className={look}>
      {isWeb ? <OpenIcon /> : <CallIcon />}
      {words}
    </a>
  );
}

type Replies = Extract<OtherMessage, { message_type: 'quick_replies' }>['payload']['quick_replies'];

/** What the other side proposes to answer. Choosing one sends it, and then nothing is left to choose. */
export function QuickReplies({ replies, onAct }: { replies: Replies; onAct: (message: CustomerMessage) => void }) {
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
