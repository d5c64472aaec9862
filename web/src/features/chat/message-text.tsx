import { Fragment } from 'react';
import { webAddress } from '../../format/web-address.ts';
import type { ChatMessage, ChatSender, CustomerMessage } from '@krapao/contract/endpoints/chat';
import type { Outgoing } from './outbox.ts';

/** Thai and Lao put no space around a URL: it ends at the first character that is not its own. */
const ADDRESS = /https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/gi;
/** Characters that end a sentence, not a URL. */
const ENDING = /[.,;:!?'\])*]+$/;

type Piece = { text: string; href: string | undefined };

/** A URL keeps its own brackets, without the bracket around it. */
function ownEnd(found: string): string {
  const bare = found.replace(ENDING, '');
  const isOpen = bare.split('(').length > bare.split(')').length;
  return isOpen && found[bare.length] === ')' ? found.slice(0, bare.length + 1) : bare;
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = ownEnd(found);
    const href = webAddress(address);
    if (!href) continue;
    pieces.push({ text: text.slice(end, index), href: undefined }, { text: address, href });
    end = index + address.length;
  }
  return [...pieces, { text: text.slice(end), href: undefined }];
}

/** Plain text with its line breaks; URLs become links. Nothing in it is markup. */
export function LinkedText({ text, className = '' }: { text: string; className?: string }) {
  return (
    <p dir="auto" className={`whitespace-pre-wrap ${className}`}>
      {piecesOf(text).map(({ text: words, href }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- a text that was sent doesn't change
        <Fragment key={i}>
          {href ? (
            <a href={href} {...outward} className="break-all text-gold-lit underline underline-offset-2">
              {words}
            </a>
          ) : (
            words
          )}
        </Fragment>
      ))}
    </p>
  );
}

/**
 * URL of a chat file: on the web, on this server, or in this browser.
 * @returns undefined for any other value
 */
export const fileAddress = (text: string): string | undefined =>
  isHere(text) ? text : webAddress(text, location.origin);

/** Whether a file is only in this browser. */
export const isHere = (address: string): boolean => address.startsWith(`blob:${location.origin}/`);

/** Attributes of external links: a new window without a referrer. */
export const outward = { target: '_blank', rel: 'noopener noreferrer', referrerPolicy: 'no-referrer' } as const;

/** `tel:` URL of a phone number as written. @returns undefined if it is not a number */
export const dialAddress = (phone: string): string | undefined =>
  /^\+?[\d -]{3,20}$/.test(phone) ? `tel:${phone.replaceAll(/[ -]/g, '')}` : undefined;

/** A displayed message: stored, or the customer's own being sent. */
export type DisplayMessage = {
  /** Stays the same when an outgoing message is stored. */
  key: string;
  sender: ChatSender;
  message: ChatMessage['message'];
  /** ISO. */
  createdAt: string;
  /** The last message: its quick replies can be chosen. */
  isLast: boolean;
  /** Delivery of a message sent in this visit; undefined for stored history. */
  outgoing: Outgoing | undefined;
};

export type MessageViewProps = {
  message: DisplayMessage;
  /** Sends the message of a pressed button. */
  onAct: (message: CustomerMessage) => void;
  /** Reloads it, because the URL of its file has expired. */
  renew: () => Promise<void>;
};
