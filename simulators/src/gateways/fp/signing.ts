import { createHmac } from 'node:crypto';

/** FP's signature of a form: over every non-empty field but `sign`, sorted by name. Lower-case hex. */
export function signatureOf(form: Readonly<Record<string, string>>, key: string): string {
  const text = Object.entries(form)
    .filter(([name, value]) => name !== 'sign' && value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}
