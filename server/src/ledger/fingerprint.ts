import { hash } from 'node:crypto';
import { nameOf, type Operation } from './operation.ts';

/** The key as it is stored: the first 128 bits of its SHA-256, as 32 hex digits (what a uuid column reads). */
export function keyHash(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 32);
}

/**
 * Hash of the request, 128 bits in hex. Two operations with the same key and hash are the same request. With `request`
 * only that counts (and type, kind, member), because the amounts may have been recalculated in a retry.
 */
export function requestHash(operation: Operation): string {
  const { type, kind, memberId, request } = operation;
  const asked = request === undefined ? fieldsOf(operation) : canonical(request);
  return hash('sha256', `${type}\n${kind}\n${memberId ?? ''}\n${asked}`, 'hex').slice(0, 32);
}

function fieldsOf(operation: Operation): string {
  const { debit, credit, currency = '', reference } = operation;
  const pendingKey = 'pendingKey' in operation ? operation.pendingKey : '';
  const amount = operation.type === 'adjust' ? operation.target : operation.amount;
  return [nameOf(debit), nameOf(credit), currency, amount ?? '', pendingKey, reference].join('\n');
}

/** JSON with sorted keys, so that the property order doesn't matter; bigint as its digits. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const names = Object.keys(part).toSorted();
    return Object.fromEntries(names.map((name) => [name, (part as Record<string, unknown>)[name]]));
  });
}
