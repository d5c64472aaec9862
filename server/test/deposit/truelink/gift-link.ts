import { createCipheriv, createHash, randomBytes } from 'node:crypto';

/** A gift link encrypted like by the app. */
export function encryptGiftLink(link: string, secret = 'krapao'): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', createHash('sha256').update(secret).digest(), iv);
  return Buffer.concat([iv, cipher.update(link, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}
