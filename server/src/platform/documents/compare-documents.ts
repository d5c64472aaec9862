import { createHash } from 'node:crypto';
import type { DocumentPath } from './subject.ts';

/** A changed value. Undefined: absent. */
export type Change = { path: string; before: unknown; after: unknown };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** SHA-256 of the JSON with sorted keys, hex: equal for equal documents. */
export const hashDocument = (document: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(document, (_, value: unknown) => sortKeys(value)))
    .digest('hex');

function sortKeys(value: unknown): unknown {
  if (!isObject(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A path as operators read it: `accounts[2].minimum`. */
export const formatPath = (path: DocumentPath): string =>
  path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${escapeControls(String(part))}`,
    )
    .join('') || 'the document';

/** Escapes characters that a terminal would interpret or that change the direction of a line. */
export const escapeControls = (text: string): string =>
  text.replaceAll(
    /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Every changed value. Elements of lists are matched by their code, number or network, not by their place. */
export function compareDocuments(before: unknown, after: unknown, path = ''): Change[] {
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path: path || '(document)', before, after }];
  }
  if (Array.isArray(before) && Array.isArray(after)) return compareLists(before, after, path);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const childPath = `${path}${path ? '.' : ''}${escapeControls(key)}`;
    return compareDocuments(readOwn(before, key), readOwn(after, key), childPath);
  });
}

const readOwn = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function compareLists(before: readonly unknown[], after: readonly unknown[], path: string): Change[] {
  const [keysBefore, keysAfter] = [identifyItems(before), identifyItems(after)];
  const [itemsBefore, itemsAfter] = [indexItems(keysBefore, before), indexItems(keysAfter, after)];
  const keys = new Set([...keysBefore, ...keysAfter]);
  const changes = [...keys].flatMap((key) =>
    compareDocuments(itemsBefore.get(key), itemsAfter.get(key), `${path}[${escapeControls(key)}]`),
  );
  const orderBefore = keysBefore.filter((key) => itemsAfter.has(key)).join(', ');
  const orderAfter = keysAfter.filter((key) => itemsBefore.has(key)).join(', ');
  return orderBefore === orderAfter
    ? changes
    : [...changes, { path: `${path}(order)`, before: orderBefore, after: orderAfter }];
}

const indexItems = (keys: readonly string[], items: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map(keys.map((key, index) => [key, items[index]]));

/** Identities of the elements, or their indexes unless all have distinct ones. */
function identifyItems(items: readonly unknown[]): string[] {
  const keys = items.map((item) => (isObject(item) ? readIdentity(item) : ''));
  const areIdentities = keys.every((key) => key !== '') && new Set(keys).size === keys.length;
  return areIdentities ? keys : items.map((_, index) => String(index));
}

function readIdentity({ code, network, bankType, bankCode, mode, accountNo }: Record<string, unknown>): string {
  const parts = [code ?? network ?? bankType ?? mode, bankType && bankCode, accountNo];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
}
