import type { Hashing } from '@krapao/contract/fair-draw';

/** Hash functions by Web Crypto, so that verification needs no server. */
export const browserHashing: Hashing = {
  async sha256(bytes) {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  },
  async hmacSha256(key, message) {
    const hmacKey = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', hmacKey, new TextEncoder().encode(message)));
  },
};

/** Whether the browser can hash: Web Crypto exists only on https and localhost. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined;
