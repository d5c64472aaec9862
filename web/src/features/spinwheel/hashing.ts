import type { Hashing } from '@krapao/contract/fair-draw';

/** Hashing by Web Crypto, without any server. */
export const browserHashing: Hashing = {
  async sha256(bytes) {
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  },
  async hmacSha256(key, message) {
    const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(message)));
  },
};

/** Web Crypto exists only on https and localhost. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined;
