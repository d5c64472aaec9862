import { type ComponentType, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { handleChunkError } from '../../routing/navigation.ts';
import { ChatIcon } from '../../ui/chat-icons.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import type { ChatPanelProps } from './chat-panel.tsx';
import type { Conversation } from './conversation.ts';
import { openChatSession, hasChatted } from './customer.ts';

/** Loads the window and the conversation with the first press. */
async function load() {
  const [{ ChatPanel }, { Conversation }] = await Promise.all([
    import('./chat-panel.tsx'),
    import('./conversation.ts'),
    loadNamespaces(['errors']),
  ]);
  return { ChatPanel, Conversation };
}

type Opened = { Panel: ComponentType<ChatPanelProps>; conversation: Conversation };

/** The round button over the page and its window. The conversation stays open while the window is closed. */
export function ChatWidget() {
  const { t } = useTranslation('chat');
  const [isOpen, setOpen] = useState(false);
  const [isLoading, setLoading] = useState(false);
  const [opened, setOpened] = useState<Opened>();
  const button = useRef<HTMLButtonElement>(null);
  const isGone = useRef(false);
  const unread = useUnread(opened?.conversation);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
      opened?.conversation.stop();
    };
  }, [opened]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus({ preventScroll: true });
  };
  const open = async (): Promise<void> => {
    setOpen(true);
    if (opened || isLoading) return;
    setLoading(true);
    try {
      const { ChatPanel, Conversation } = await load();
      if (!isGone.current) setOpened({ Panel: ChatPanel, conversation: new Conversation() });
    } catch (failure) {
      setOpen(false);
      handleChunkError(failure);
    } finally {
      setLoading(false);
    }
  };
  const label = isOpen ? t('close') : unread > 0 ? t('openUnread', { number: unread }) : t('open');
  return (
    <>
      {/* Room to scroll the end of the page out from under the button. */}
      <div className="h-20" />
      {isOpen && opened && <opened.Panel conversation={opened.conversation} onClose={close} />}
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onClick={isOpen ? close : () => void open()}
        onPointerEnter={() => void load().catch(() => undefined)}
        className="fixed right-[max(1rem,env(safe-area-inset-right))] bottom-[calc(5rem+env(safe-area-inset-bottom))] z-20 grid size-14 animate-rise place-items-center rounded-full bg-lacquer text-ivory shadow-high ring-2 ring-gold transition-colors hover:bg-lacquer-lit lg:right-8 lg:bottom-8"
      >
        <Turning isShown={!isOpen}>
          <ChatIcon className="size-7" />
        </Turning>
        <Turning isShown={isOpen}>
          {isLoading ? <Spinner className="size-7" /> : <CloseIcon className="size-7" />}
        </Turning>
        {unread > 0 && !isOpen && (
          <span
            aria-hidden="true"
            className="amount absolute -top-1 -right-1 grid h-6 min-w-6 place-items-center rounded-full bg-gold px-1.5 text-xs font-bold text-well"
          >
            {unread > 99 ? '99+' : unread}
          </span>
        )}
      </button>
    </>
  );
}

/** One of two icons in the same position, with a turning transition. */
function Turning({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  return (
    <span
      className={`col-start-1 row-start-1 transition-[transform,opacity] duration-200 ${isShown ? '' : 'scale-50 rotate-90 opacity-0'}`}
    >
      {children}
    </span>
  );
}

const REST_MS = 1_000;
const never = () => () => undefined;
const nothing = (): number => 0;

/** Number of unread replies: requested once for returning visitors, then reported by the conversation. */
function useUnread(conversation: Conversation | undefined): number {
  const [before, setBefore] = useState(0);
  useEffect(() => {
    if (conversation || !hasChatted()) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      // After a failure the button stays; opening the chat reports the error.
      openChatSession().then(
        ({ config }) => isCurrent && setBefore(config.unread),
        () => undefined,
      );
    }, REST_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [conversation]);
  const now = useSyncExternalStore(
    conversation?.subscribe ?? never,
    conversation ? () => conversation.current().unread : nothing,
    nothing,
  );
  return conversation ? now : before;
}
