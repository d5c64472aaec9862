import { cleanChatText, isBlankChatText } from '@krapao/contract/chat-text';
import { CHAT_TEXT_CHARACTERS_MAX } from '@krapao/contract/constants';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../format/number.ts';
import { currentDraft, type ItemReference, onSupportAsked, saveDraft } from '../../shared/chat-draft.ts';
import { SendIcon } from '../../ui/chat-icons.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { CloseIcon } from '../../ui/core/icons.tsx';
import { AttachButton } from './attach.tsx';
import type { SendMessage } from './outbox.ts';

const CHARACTERS_MAX = CHAT_TEXT_CHARACTERS_MAX;
/** The number of characters is shown from this length on. */
const COUNT_SHOWN_FROM = CHARACTERS_MAX * 0.9;
const INPUT_METHOD_KEY_CODE = 229;
const FIELD_HEIGHT_MAX_PX = 140;

/**
 * Whether the input method handles the key, such as an Enter that ends a composition. `isComposing` doesn't say that:
 * Android keyboards compose every word, and their send key is an Enter during the composition.
 */
export const isForInputMethod = ({ keyCode }: { keyCode: number }): boolean => keyCode === INPUT_METHOD_KEY_CODE;

export type ComposerProps = {
  send: SendMessage;
  onAttach: (files: readonly File[]) => void;
  /** Shows an error in the chat. */
  showAlert: (text: string) => void;
  /** False until the customer of the conversation is known. */
  isReady: boolean;
};

/** Text field of the chat. The draft is kept when the window closes. */
export function Composer({ send, onAttach, showAlert, isReady }: ComposerProps) {
  const { t } = useTranslation('chat');
  const [{ text, itemReference }, setDraft] = useState(currentDraft);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => onSupportAsked(() => setDraft(currentDraft())), []);
  const isBlank = isBlankChatText(text);
  const characterCount = cleanChatText(text).length;
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight + 2, FIELD_HEIGHT_MAX_PX)}px`;
  }, [text]);

  const updateText = (newText: string, isComposing = false): void => {
    // Text under composition is not cut, because that would restart the composition.
    const limitedText = isComposing ? newText : cutToLimit(newText);
    if (limitedText !== newText) showAlert(t('tooLong', { max: formatNumber(CHARACTERS_MAX, 0) }));
    updateDraft({ text: limitedText, itemReference });
  };
  const updateDraft = (draft: ReturnType<typeof currentDraft>): void => {
    setDraft(draft);
    saveDraft(draft);
  };
  const sendText = (): void => {
    if (isBlank || !isReady || characterCount > CHARACTERS_MAX) return;
    send({ message_type: 'text', payload: { text: text.trim() } }, undefined, itemReference?.key);
    updateDraft({ text: '', itemReference: undefined });
    field.current?.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || isForInputMethod(event)) return;
    if (event.shiftKey || event.metaKey) return;
    event.preventDefault();
    if (event.ctrlKey || event.altKey) {
      // By default browsers insert a line break only with Shift and Enter.
      const element = event.currentTarget;
      element.setRangeText('\n', element.selectionStart, element.selectionEnd, 'end');
      updateText(element.value);
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
      {characterCount >= COUNT_SHOWN_FROM && (
        <p className="amount px-2 pb-1 text-right text-xs text-faint">
          {t('counter', { number: formatNumber(characterCount, 0), max: formatNumber(CHARACTERS_MAX, 0) })}
        </p>
      )}
      {itemReference && (
        <ItemNote
          itemReference={itemReference}
          isInText={text.includes(itemReference.reference)}
          onRemove={() => {
            updateDraft({ text, itemReference: undefined });
            field.current?.focus({ preventScroll: true });
          }}
        />
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
          onChange={(event) => updateText(event.target.value, (event.nativeEvent as InputEvent).isComposing)}
          onCompositionEnd={(event) => updateText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          className="input min-w-0 resize-none"
        />
        <IconButton
          type="submit"
          label={t('send')}
          disabled={isBlank || !isReady}
          // Keeps the focus in the field, so that the keyboard stays open.
          onPointerDown={(event) => event.preventDefault()}
          className="size-12 enabled:text-gold"
        >
          <SendIcon />
        </IconButton>
      </div>
    </form>
  );
}

type ItemNoteProps = {
  itemReference: ItemReference;
  /** Whether the reference is visible in the text of the message. */
  isInText: boolean;
  onRemove: () => void;
};

/** The movement that the next message is about, which support sees beside it. */
function ItemNote({ itemReference: { kind, reference }, isInText, onRemove }: ItemNoteProps) {
  const { t } = useTranslation('money');
  return (
    <div className="mb-2 flex items-center gap-2 rounded-md bg-raised pl-3 text-sm">
      <p role="status" className="min-w-0 grow py-1 leading-tight">
        {t('about', { kind: t(`kind.${kind}`) })}{' '}
        <span translate="no" className={isInText ? 'sr-only' : 'amount font-semibold break-all'}>
          {reference}
        </span>
      </p>
      <IconButton label={t('removeFromMessage')} onClick={onRemove}>
        <CloseIcon className="size-5" />
      </IconButton>
    </div>
  );
}

/** Cuts a text to the maximum length of a message without splitting a grapheme. */
function cutToLimit(text: string): string {
  if (cleanChatText(text).length <= CHARACTERS_MAX) return text;
  const endIndex = /[\uD800-\uDBFF]/.test(text.charAt(CHARACTERS_MAX - 1)) ? CHARACTERS_MAX - 1 : CHARACTERS_MAX;
  return text.slice(0, endIndex);
}
