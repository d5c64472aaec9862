import { createHmac } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { ChatBackendSettings } from '../outside/outside-file.ts';
import { sameText } from '../outside/secrets.ts';
import type { Channel } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';

const TOLERANCE_S = 300;

const hmacHex = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text, 'utf8').digest('hex');

function headerOf(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** Authenticates a request by its key, signature and time stamp. @throws Refusal `unauthorized` */
export function mustBeSigned(request: FastifyRequest, { key, secret }: ChatBackendSettings): void {
  const timestamp = headerOf(request, 'x-chat-timestamp');
  const body = typeof request.body === 'string' ? request.body : '';
  const isInTime = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S;
  const isRight =
    sameText(headerOf(request, 'x-chat-key'), key) &&
    sameText(headerOf(request, 'x-chat-signature'), hmacHex(secret, `${timestamp}.${body}`));
  if (!isInTime || !isRight) throw new Refusal(401, 'unauthorized', 'Key, signature or time stamp is wrong');
}

/** Signs replies to the operator. A forged one is signed with another secret. */
export function answerChannel({ key, secret }: ChatBackendSettings): Channel {
  return {
    headersOf: (body, { at, isForged }) => {
      const seconds = Math.floor(at / 1000);
      return {
        'x-chat-key': key,
        'x-chat-timestamp': String(seconds),
        'x-chat-signature': hmacHex(isForged ? 'a guess' : secret, `${seconds}.${body}`),
      };
    },
    isTaken: (status, text) => status === 200 && text.includes('"accepted":true'),
  };
}

/** Whether the operator issued the ticket for this room, and it is still valid. */
export function isTicketFor(room: string, ticket: string, { secret }: ChatBackendSettings): boolean {
  const [header = '', claims = '', signature = ''] = ticket.split('.');
  const expectedSignature = createHmac('sha256', secret).update(`${header}.${claims}`).digest('base64url');
  if (!sameText(signature, expectedSignature)) return false;
  try {
    const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as { alg?: unknown };
    const ticketClaims = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as {
      room?: unknown;
      exp?: unknown;
    };
    return (
      alg === 'HS256' &&
      ticketClaims.room === room &&
      typeof ticketClaims.exp === 'number' &&
      ticketClaims.exp > Date.now() / 1000
    );
  } catch {
    return false;
  }
}
