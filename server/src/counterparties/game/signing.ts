import { createHash } from 'node:crypto';
import type { Fields } from './dialect.ts';

/** Signed text of several kinds of provider: all fields sorted by name, as `name=value` joined by `&`, not encoded. */
export const sortedText = (fields: Fields): string =>
  sorted(fields)
    .map((pair) => pair.join('='))
    .join('&');

/** The same as a query, encoded as forms are. */
export const sortedQuery = (fields: Fields): string => new URLSearchParams(sorted(fields)).toString();

const sorted = (fields: Fields): [string, string][] =>
  Object.entries(fields)
    .map(([name, value]): [string, string] => [name, String(value)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Lower-case hex, of UTF-8. A provider's signature scheme, not a security measure of ours. */
export const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');
