import { createHmac, timingSafeEqual } from 'node:crypto';
import { newToken } from '../ids.ts';
import { decodeExactly } from './secret-box.ts';

/** Tokens of sessions. A tag proves that a server of this installation issued a token, without a read. */
export type SessionTokens = {
  issue(): string;
  /** Whether a token was issued here; its session may have ended. Tokens from before the tag are not. */
  isIssued(token: string): boolean;
};

const SECRET_CHARACTERS = 43;
const TAG_BYTES = 16;
const TAG_CHARACTERS = 22;

/**
 * @param key issues and checks; 32 bytes
 * @param otherKeys check only: the previous and the next key during a rotation
 */
export function createSessionTokens(key: Buffer, otherKeys: readonly Buffer[] = []): SessionTokens {
  const tagKeys = [key, ...otherKeys].map((secret) => createHmac('sha256', secret).update('session tokens').digest());
  const tagOf = (tagKey: Buffer, secret: string): Buffer =>
    createHmac('sha256', tagKey).update(secret).digest().subarray(0, TAG_BYTES);
  const [ownKey = key] = tagKeys;
  return {
    issue() {
      const secret = newToken();
      return secret + tagOf(ownKey, secret).toString('base64url');
    },
    isIssued(token) {
      if (token.length !== SECRET_CHARACTERS + TAG_CHARACTERS) return false;
      const tag = decodeExactly(token.slice(SECRET_CHARACTERS), 'base64url');
      const secret = token.slice(0, SECRET_CHARACTERS);
      return tag?.length === TAG_BYTES && tagKeys.some((tagKey) => timingSafeEqual(tag, tagOf(tagKey, secret)));
    },
  };
}
