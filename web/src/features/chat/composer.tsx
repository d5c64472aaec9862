import { cleanChatText, isBlankChatText } from '@krapao/contract/chat-text';
import { CHAT_TEXT_CHARACTERS_MAX } from '@krapao/contract/constants';
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../format/number.ts';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { SendIcon } from '../../ui/chat-icons.tsx';
import { AttachButton } from './attach.tsx';
import type { Send } from './outbox.ts';
import { onSessionEnd, storedToken } from '../../api/session.ts';

const LIMIT = CHAT_TEXT_CHARACTERS_MAX;
/** From this length on the number of characters is shown. */
const NEAR_LIMIT = LIMIT * 0.9;
/** `keyCode` of keys during composition. */
const COMPOSING = 229;
const LINES_HEIGHT_MAX_PX = 140;

export type ComposerProps = {
  send: Send;
  onAttach: (files: readonly File[]) => void;
  /** Shows an error. */
  say: (words: string) => void;
  /** False until the customer of the conversation is known. */
  isReady: boolean;
};

/** Text field of the chat. The draft survives closing the window. */
export function Composer({ send, onAttach, say, isReady }: ComposerProps) {
  const { t } = useTranslation('chat');
  const [text, setText] = useState(draft);
  const field = useRef<HTMLTextAreaElement>(null);
  const isBlank = isBlankChatText(text);
  const characters = cleanChatText(text).length;
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight + 2, LINES_HEIGHT_MAX_PX)}px`;
  }, [text]);

  const write = (written: string, isComposing = false): void => {
    // Text under composition is not cut: that would restart the composition.
    const kept = isComposing ? written : cut(written);
    if (kept !== written) say(t('tooLong', { max: formatNumber(LIMIT, 0) }));
    setText(kept);
    saveDraft(kept);
  };
  const sendText = (): void => {
    if (isBlank || !isReady || characters > LIMIT) return;
    send({ message_type: 'text', payload: { text: text.trim() } });
    write('');
    field.current?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // Enter also ends a composition; older Safari reports that by `keyCode` alone.
    // oxlint-disable-next-line typescript/no-deprecated -- Safari has no other sign
    const isComposing = event.nativeEvent.isComposing || event.keyCode === COMPOSING;
    if (event.key !== 'Enter' || isComposing) return;
    if (event.shiftKey || event.metaKey) return;
    event.preventDefault();
    if (event.ctrlKey || event.altKey) {
      // Browsers insert a line break with Shift only.
      const element = event.currentTarget;
      element.setRangeText('\n', element.selectionStart, element.selectionEnd, 'end');
      write(element.value);
    } else sendText();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        sendText();
      }}
      className="shrink-0 border-t border-line p-2"
    >
      {characters >= NEAR_LIMIT && (
        <p className="amount px-2 pb-1 text-right text-xs text-faint">
          {t('counter', { number: formatNumber(characters, 0), max: formatNumber(LIMIT, 0) })}
        </p>
      )}
      <div className="flex items-end gap-1">
        <AttachButton isDisabled={!isReady} onChoose={onAttach} />
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label={t('message')}
          placeholder={t('placeholder')}
          enterKeyHint="send"
          onChange={(event) => write(event.target.value, (event.nativeEvent as InputEvent).isComposing)}
          onCompositionEnd={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          className="input min-w-0 resize-none"
        />
        <IconButton
          type="submit"
          label={t('send')}
          disabled={isBlank || !isReady}
          // Keeps the focus, and so the keyboard, in the field.
          onPointerDown={(event) => event.preventDefault()}
          className="size-12 enabled:text-gold"
        >
          <SendIcon />
        </IconButton>
      </div>
    </form>
  );
}

/** Cuts to the limit of a message without splitting a grapheme. */
function cut(text: string): string {
  if (cleanChatText(text).length <= LIMIT) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(LIMIT - 1)) ? LIMIT - 1 : LIMIT;
  return text.slice(0, end);
}

/** Drafts of the visitor (null) and of the current member. */
const drafts = new Map<string | null, string>();

/** The next member must not see the draft. */
onSessionEnd(() => {
  for (const whose of drafts.keys()) if (whose !== null) drafts.delete(whose);
});

export const draft = (): string => drafts.get(storedToken()) ?? '';
export const saveDraft = (text: string): void => void drafts.set(storedToken(), text);
