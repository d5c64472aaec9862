import { eventMismatch, joinMismatch, replyMismatch } from '@krapao/contract/wire-faults';
import type { Socket } from 'socket.io-client';
import { logFailure } from './errors.ts';

/**
 * Development only: the app checks what it receives against the contract and fails loudly. The production build removes
 * every use of this file, and with it the schema library; the journeys check the production app from outside
 * (`e2e/support/wire-check.ts`).
 */

/** A packet of Socket.IO that carries an event, and one that acknowledges a request. */
const EVENT = 2;
const ACKNOWLEDGEMENT = 3;

/** @throws Error for a reply of our own server that the contract does not declare */
export function checkReply(method: string, path: string, reply: { status: number; text: string }): void {
  const fault = replyMismatch(method, path, reply.status, reply.text);
  if (fault === undefined) return;
  const error = new Error(fault);
  show(error);
  throw error;
}

/** Checks each event and acknowledgement of our own socket from now on. */
export function checkSocket(socket: Socket): void {
  socket.io.on('packet', ({ type, data }: { type: number; data?: unknown }) => {
    if ((type !== EVENT && type !== ACKNOWLEDGEMENT) || !Array.isArray(data)) return;
    const [first, payload] = data as unknown[];
    const fault = type === EVENT ? eventMismatch(String(first), payload) : joinMismatch(first);
    if (fault !== undefined) show(new Error(fault));
  });
}

/** In the console and, as an error of a build, over the page. */
function show(error: Error): void {
  logFailure('the contract is broken', error);
  const Overlay = customElements.get('vite-error-overlay');
  if (Overlay) document.body.append(new Overlay(error));
}
