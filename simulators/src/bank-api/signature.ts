import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Outside } from '../outside/outside-file.ts';
import { sameText } from '../outside/secrets.ts';
import type { Channel } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';

const TOLERANCE_S = 300;

function hmacHex(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text, 'utf8').digest('hex');
}

function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** Authenticates a request by its key, signature and time stamp. @throws Refusal `unauthorized` */
export function mustBeSigned(request: FastifyRequest, { bank }: Outside): void {
  const timestamp = headerOf(request, 'x-timestamp');
  const body = typeof request.body === 'string' ? request.body : '';
  const expectedSignature = hmacHex(bank.apiSecret, `${timestamp}.${request.method}.${request.raw.url ?? ''}.${body}`);
  const isInTime = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S;
  const isRight =
    sameText(headerOf(request, 'x-api-key'), bank.apiKey) &&
    sameText(headerOf(request, 'x-signature'), expectedSignature);
  if (!isInTime || !isRight) throw new Refusal(401, 'unauthorized', 'Key, signature or time stamp is wrong');
}

/** Signs the bank's pushes and callbacks. A forged one is signed with another secret. */
export function signedChannel({ bank }: Outside): Channel {
  return {
    headersOf: (body, { at, isForged }) => {
      const seconds = Math.floor(at / 1000);
      const secret = isForged ? 'a guess' : bank.callbackSecret;
      return { 'x-bank-signature': `t=${seconds},v1=${hmacHex(secret, `${seconds}.${body}`)}` };
    },
    isTaken: (status, text) => status === 200 && saysOk(text),
  };
}

function saysOk(text: string): boolean {
  try {
    return (JSON.parse(text) as { ok?: unknown } | null)?.ok === true;
  } catch {
    return false;
  }
}
