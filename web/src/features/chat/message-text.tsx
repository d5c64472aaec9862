import { Fragment } from 'react';
import { webAddress } from '../../format/web-address.ts';
import type { ChatMessage, ChatSender, CustomerMessage } from '@krapao/contract/endpoints/chat';
import type { Outgoing } from './outbox.ts';

/** Thai and Lao leave no space around an address: it ends where anything but its own characters begins. */
const ADDRESS = /https?:\/\/[\w\-.~:/?#[\]@!$&'()*+,;=%]+/gi;
/** What ends a sentence rather than an address. */
const ENDING = /[.,;:!?'\])*]+$/;

type Piece = { text: string; href: string | undefined };

/** An address with brackets of its own keeps them; the bracket around an address isn't its. */
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

/** Words as they were written, line by line; addresses of the web in them can be opened. Nothing in them is markup. */
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
 * Where a file of the chat lies: on the web, on our own server, or still in this browser.
 * @returns undefined when it lies nowhere
 */
export const fileAddress = (text: string): string | undefined =>
  isHere(text) ? text : webAddress(text, location.origin);

/** Whether a file has not gone further than this browser. */
export const isHere = (address: string): boolean => address.startsWith(`blob:${location.origin}/`);

/** What links to the web carry: a window of their own, which learns nothing of us. */
export const outward = { target: '_blank', rel: 'noopener noreferrer', referrerPolicy: 'no-referrer' } as const;

/** What dials a number, as it is written to be read. @returns undefined for what is no number */
export const dialAddress = (phone: string): string | undefined =>
  /^\+?[\d -]{3,20}$/.test(phone) ? `tel:${phone.replaceAll(/[ -]/g, '')}` : undefined;

/** A message as the window shows it: one that is stored, or one of one's own on its way. */
export type DisplayMessage = {
  /** Stays the same when a message of one's own has arrived. */
  key: string;
  sender: ChatSender;
  message: ChatMessage['message'];
  /** ISO. */
  createdAt: string;
  /** Nothing has followed it yet: its quick replies can be chosen. */
  isLast: boolean;
  /** How far one of one's own has come in this visit; undefined for what the history brought. */
  outgoing: Outgoing | undefined;
};

/** What is in a bubble. */
export type MessageViewProps = {
  message: DisplayMessage;
  /** Pressing something of it sends a message: a postback, a text. */
  onAct: (message: CustomerMessage) => void;
  /** Reloads it, because the address of its file has expired. */
  renew: () => Promise<void>;
};
