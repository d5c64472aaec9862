import { webAddress } from '../../../web-address.ts';

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
