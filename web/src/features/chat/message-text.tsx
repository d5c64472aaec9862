import type { ChatMessage, ChatSender, CustomerMessage } from '@krapao/contract/endpoints/chat';
import { Fragment } from 'react';
import { webAddress } from '../../format/web-address.ts';
import type { OutgoingMessage } from './outbox.ts';

/**
 * A URL in a text. Thai and Lao put no space after a URL, so it ends at the first character that can't be part of a
 * URL.
 */
const URL_PATTERN = /https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/gi;
/** Punctuation at the end of a match, which belongs to the sentence and not to the URL. */
const SENTENCE_END = /[.,;:!?'\])*]+$/;

type TextPiece = { text: string; href: string | undefined };

/** Removes punctuation from the end of a found URL, but keeps a bracket that closes one inside the URL. */
function trimUrlEnd(foundUrl: string): string {
  const trimmedUrl = foundUrl.replace(SENTENCE_END, '');
  const hasOpenBracket = trimmedUrl.split('(').length > trimmedUrl.split(')').length;
  return hasOpenBracket && foundUrl[trimmedUrl.length] === ')' ? foundUrl.slice(0, trimmedUrl.length + 1) : trimmedUrl;
}

function textPiecesOf(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let textEnd = 0;
  for (const { 0: foundUrl, index } of text.matchAll(URL_PATTERN)) {
    const url = trimUrlEnd(foundUrl);
    const href = webAddress(url);
    if (!href) continue;
    pieces.push({ text: text.slice(textEnd, index), href: undefined }, { text: url, href });
    textEnd = index + url.length;
  }
  return [...pieces, { text: text.slice(textEnd), href: undefined }];
}

/** Plain text with line breaks; its URLs become links. No markup is interpreted. */
export function LinkedText({ text, className = '' }: { text: string; className?: string }) {
  return (
    <p dir="auto" className={`whitespace-pre-wrap ${className}`}>
      {textPiecesOf(text).map(({ text: pieceText, href }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a text that was sent doesn't change
        <Fragment key={i}>
          {href ? (
            <a href={href} {...externalLinkProps} className="break-all text-gold-lit underline underline-offset-2">
              {pieceText}
            </a>
          ) : (
            pieceText
          )}
        </Fragment>
      ))}
    </p>
  );
}

/**
 * URL of a chat file: on the web, on this server, or a local object URL.
 * @returns undefined for any other value
 */
export const fileUrlOf = (text: string): string | undefined =>
  isLocalFile(text) ? text : webAddress(text, location.origin);

/** Whether a file URL is a local object URL of this page. */
export const isLocalFile = (url: string): boolean => url.startsWith(`blob:${location.origin}/`);

/** Attributes of external links: new window, no referrer. */
export const externalLinkProps = {
  target: '_blank',
  rel: 'noopener noreferrer',
  referrerPolicy: 'no-referrer',
} as const;

/** `tel:` URL of a phone number. @returns undefined if the text is not a phone number */
export const phoneUrlOf = (phone: string): string | undefined =>
  /^\+?[\d -]{3,20}$/.test(phone) ? `tel:${phone.replaceAll(/[ -]/g, '')}` : undefined;

/** A displayed message: a stored one, or an outgoing message of the customer. */
export type DisplayMessage = {
  /** Key that stays the same when an outgoing message is stored. */
  key: string;
  sender: ChatSender;
  message: ChatMessage['message'];
  /** Time as ISO text. */
  createdAt: string;
  /** Whether this is the last message; only its quick replies can be chosen. */
  isLast: boolean;
  /** Delivery state of a message sent in this visit; undefined for a message of the history. */
  outgoing: OutgoingMessage | undefined;
};

export type MessageViewProps = {
  message: DisplayMessage;
  /** Sends the message of a pressed button. */
  onAct: (message: CustomerMessage) => void;
  /** Reloads the message after the URL of its file has expired. */
  reloadMessage: () => Promise<void>;
};
