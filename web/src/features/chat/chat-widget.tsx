import {
  type ComponentType,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import { storedToken } from '../../api/session.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { handleChunkError } from '../../routing/navigation.ts';
import { onSupportAsked, setChatShown, takeSupportAsked } from '../../shared/chat-draft.ts';
import type { PushQuestionProps } from '../../shared/push-question.tsx';
import { ChatIcon } from '../../ui/chat-icons.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { Spinner } from '../../ui/core/loader.tsx';
import type { ChatPanelProps } from './chat-panel.tsx';
import type { Conversation } from './conversation.ts';
import { openChatSession, hasChatted } from './customer.ts';

/** Loads the chat window and the conversation at the first press. */
async function loadChat() {
  const [{ ChatPanel }, { Conversation }, { PushQuestion }] = await Promise.all([
    import('./chat-panel.tsx'),
    import('./conversation.ts'),
    import('../../shared/push-question.tsx'),
    loadNamespaces(['errors', 'money', 'push']),
  ]);
  return { ChatPanel, Conversation, PushQuestion };
}

type OpenedChat = {
  Panel: ComponentType<ChatPanelProps>;
  Question: ComponentType<PushQuestionProps>;
  conversation: Conversation;
};

/** After this time in ms a member no longer waits for a reply. */
const REPLY_WAIT_MS = 3_600_000;

/** Whether a member has written lately and may wait for a reply. Visitors get no push messages. */
const mayWaitForReply = (conversation: Conversation): boolean =>
  storedToken() !== null &&
  conversation
    .current()
    .messages.some(
      ({ sender, createdAt }) => sender === 'customer' && serverNow() - Date.parse(createdAt) < REPLY_WAIT_MS,
    );

/** Round chat button above the page, and its window. The conversation stays open while the window is closed. */
export function ChatWidget() {
  const { t } = useTranslation('chat');
  const [isOpen, setOpen] = useState(false);
  const [isLoading, setLoading] = useState(false);
  const [opened, setOpened] = useState<OpenedChat>();
  const [isLeft, setLeft] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isUnmounted = useRef(false);
  const goBack = useRef<() => void>(undefined);
  const unread = useUnread(opened?.conversation);
  useEffect(() => {
    isUnmounted.current = false;
    return () => {
      isUnmounted.current = true;
      opened?.conversation.stop();
    };
  }, [opened]);

  useEffect(() => {
    setChatShown(isOpen);
    return () => setChatShown(false);
  }, [isOpen]);
  const closePanel = (): void => {
    // The page is inert until the modal panel has closed.
    flushSync(() => setOpen(false));
    button.current?.focus({ preventScroll: true });
    setLeft(opened !== undefined && mayWaitForReply(opened.conversation));
    goBack.current?.();
    goBack.current = undefined;
  };
  const openPanel = async (): Promise<void> => {
    setOpen(true);
    if (opened || isLoading) return;
    setLoading(true);
    try {
      const { ChatPanel, Conversation, PushQuestion } = await loadChat();
      if (!isUnmounted.current)
        setOpened({ Panel: ChatPanel, Question: PushQuestion, conversation: new Conversation() });
    } catch (failure) {
      setOpen(false);
      handleChunkError(failure);
    } finally {
      setLoading(false);
    }
  };
  useSupportAsked((back) => {
    goBack.current = back;
    void openPanel();
  });
  const label = isOpen ? t('close') : unread > 0 ? t('openUnread', { number: unread }) : t('open');
  return (
    <>
      {/* Space below the page, so that its end can be scrolled out from under the button. */}
      <div className="h-20" />
      {isOpen && opened && <opened.Panel conversation={opened.conversation} onClose={closePanel} />}
      {!isOpen && isLeft && opened && (
        <opened.Question
          about="chat"
          className="fixed inset-x-4 bottom-[calc(9.25rem+env(safe-area-inset-bottom))] z-20 ml-auto max-w-sm translate-y-[calc(0px-var(--strip,0px))] animate-rise shadow-high lg:right-8 lg:bottom-26"
        />
      )}
      <button
        ref={button}
        type="button"
        aria-label={label}
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        onClick={isOpen ? closePanel : () => void openPanel()}
        onPointerEnter={() => void loadChat().catch(() => undefined)}
        className="fixed right-[max(1rem,env(safe-area-inset-right))] bottom-[calc(5rem+env(safe-area-inset-bottom))] z-20 grid size-14 animate-rise place-items-center rounded-full bg-gold text-well shadow-high ring-2 ring-ground transition-colors hover:bg-gold-lit lg:right-8 lg:bottom-8 translate-y-[calc(0px-var(--strip,0px))]"
      >
        <RotatingIcon isShown={!isOpen}>
          <ChatIcon className="size-7" />
        </RotatingIcon>
        <RotatingIcon isShown={isOpen}>
          {isLoading ? <Spinner className="size-7" /> : <CloseIcon className="size-7" />}
        </RotatingIcon>
        {unread > 0 && !isOpen && <UnreadBadge count={unread} />}
      </button>
    </>
  );
}

/** Opens the chat for a question that was asked before or after this mounts. */
function useSupportAsked(open: (goBack: (() => void) | undefined) => void): void {
  const openForQuestion = useEffectEvent(() => {
    const asked = takeSupportAsked();
    if (asked) open(asked.goBack);
  });
  useEffect(() => {
    const timer = setTimeout(() => openForQuestion(), 0);
    const unsubscribe = onSupportAsked(() => openForQuestion());
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, []);
}

function UnreadBadge({ count }: { count: number }) {
  return (
    <span
      aria-hidden="true"
      className="amount absolute -top-1 -right-1 grid h-6 min-w-6 place-items-center rounded-full bg-lacquer px-1.5 text-xs font-bold text-on-lacquer"
    >
      {count > 99 ? '99+' : count}
    </span>
  );
}

/** One of two icons in the same position; they rotate while changing. */
function RotatingIcon({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  return (
    <span
      className={`col-start-1 row-start-1 transition-[transform,opacity] duration-200 ${isShown ? '' : 'scale-50 rotate-90 opacity-0'}`}
    >
      {children}
    </span>
  );
}

const UNREAD_DELAY_MS = 1_000;
const subscribeToNothing = () => () => undefined;
const zeroUnread = (): number => 0;

/** Number of unread replies. Returning visitors request it once; later the open conversation reports it. */
function useUnread(conversation: Conversation | undefined): number {
  const [initialUnread, setInitialUnread] = useState(0);
  useEffect(() => {
    if (conversation || !hasChatted()) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      // A failure is ignored: opening the chat reports the error.
      openChatSession().then(
        ({ config }) => isCurrent && setInitialUnread(config.unread),
        () => undefined,
      );
    }, UNREAD_DELAY_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [conversation]);
  const currentUnread = useSyncExternalStore(
    conversation?.subscribe ?? subscribeToNothing,
    conversation ? () => conversation.current().unreadCount : zeroUnread,
    zeroUnread,
  );
  return conversation ? currentUnread : initialUnread;
}
