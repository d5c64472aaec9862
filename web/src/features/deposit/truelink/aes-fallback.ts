import { gcm } from '@noble/ciphers/aes.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** AES-256-GCM under the SHA-256 of a secret, where the browser has no cryptography of its own to offer. */
export const encryptWithoutWebCrypto = (secret: Uint8Array, iv: Uint8Array, words: Uint8Array): Uint8Array =>
  gcm(sha256(secret), iv).encrypt(words);
