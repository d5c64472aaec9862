import type { Hashing } from '@krapao/contract/fair-draw';

/** The browser's own hashing; nothing is asked of any server. */
export const browserHashing: Hashing = {
  async sha256(bytes) {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  },
  async hmacSha256(key, message) {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(message)));
  },
};

/** Browsers hash only where the page came over https, or from this machine. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined;
