import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken, newToken } from '../../platform/ids.ts';
import { KNOWN_MS } from './otp.ts';

const COOKIE = 'device';
const TOKEN = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`);

/** The token of the calling device, when it has proved a phone before; it grants no access. */
export const deviceOf = (request: FastifyRequest): string | undefined => TOKEN.exec(request.headers.cookie ?? '')?.[1];

/** What is kept of a device's token. */
export const deviceName = (token: string): string => hashToken(token).toString('hex');

/** Issues a token to a device that proves a phone, or extends its existing one. */
export function rememberDevice(request: FastifyRequest, reply: FastifyReply): string {
  const token = deviceOf(request) ?? newToken();
  const secure = request.protocol === 'https' ? '; Secure' : '';
  // Scripts can't read it, and it goes nowhere but to the calls of one-time codes.
  const attributes = `Path=/api/otp; Max-Age=${KNOWN_MS / 1000}; HttpOnly; SameSite=Strict${secure}`;
  void reply.header('set-cookie', `${COOKIE}=${token}; ${attributes}`);
  return token;
}
