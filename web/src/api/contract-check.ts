import { eventMismatch, joinMismatch, replyMismatch } from '@krapao/contract/wire-faults';
import type { Socket } from 'socket.io-client';
import { logFailure } from './errors.ts';

/**
 * Development only: checks replies against the contract and fails loudly. The production build removes this file and
 * the schema library; journeys check the production app from outside (`e2e/support/wire-check.ts`).
 */

/** Socket.IO packet types of an event and of an acknowledgement. */
const EVENT = 2;
const ACKNOWLEDGEMENT = 3;

/** @throws Error for a reply of this server that the contract does not declare */
export function checkReply(method: string, path: string, reply: { status: number; text: string }): void {
  const fault = replyMismatch(method, path, reply.status, reply.text);
  if (fault === undefined) return;
  const error = new Error(fault);
  show(error);
  throw error;
}

/** Checks each further event and acknowledgement of the socket. */
export function checkSocket(socket: Socket): void {
  socket.io.on('packet', ({ type, data }: { type: number; data?: unknown }) => {
    if ((type !== EVENT && type !== ACKNOWLEDGEMENT) || !Array.isArray(data)) return;
    const [first, payload] = data as unknown[];
    const fault = type === EVENT ? eventMismatch(String(first), payload) : joinMismatch(first);
    if (fault !== undefined) show(new Error(fault));
  });
}

/** Reports to the console and as an overlay, like a build error. */
function show(error: Error): void {
  logFailure('the contract is broken', error);
  const Overlay = customElements.get('vite-error-overlay');
  if (Overlay) document.body.append(new Overlay(error));
}
