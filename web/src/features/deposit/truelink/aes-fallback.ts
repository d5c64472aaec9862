import { gcm } from '@noble/ciphers/aes.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** AES-256-GCM with the SHA-256 of a secret as key, for browsers without Web Crypto. */
export const encryptWithoutWebCrypto = (secret: Uint8Array, iv: Uint8Array, words: Uint8Array): Uint8Array =>
  gcm(sha256(secret), iv).encrypt(words);
