import { createHmac } from 'node:crypto';

/**
 * Signs a form: HMAC-SHA256 over every field that is not empty, sorted by name, as `name=value` joined by `&`. @returns
 * the fields with their signature, in wire format
 */
export function signForm(fields: Readonly<Record<string, string>>, key: string): string {
  const text = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const sign = createHmac('sha256', key).update(text, 'utf8').digest('hex');
  return new URLSearchParams({ ...fields, sign }).toString();
}
