import { eventMismatch, joinMismatch, replyMismatch } from '@krapao/contract/wire-faults';
import type { Socket } from 'socket.io-client';
import { logFailure } from './errors.ts';

/**
 * Checks replies against the contract and reports mismatches; development only. The production build removes this file
 * and the schema library. Journeys check the production app from outside (`e2e/support/wire-check.ts`).
 */

/** Socket.IO packet types of an event and of an acknowledgement. */
const EVENT_PACKET = 2;
const ACKNOWLEDGEMENT_PACKET = 3;

/** @throws Error if the contract does not declare this reply */
export function checkReply(method: string, path: string, reply: { status: number; text: string }): void {
  const mismatch = replyMismatch(method, path, reply.status, reply.text);
  if (mismatch === undefined) return;
  const error = new Error(mismatch);
  showContractError(error);
  throw error;
}

/** Checks each event and acknowledgement that the socket receives. */
export function checkSocket(socket: Socket): void {
  socket.io.on('packet', ({ type, data }: { type: number; data?: unknown }) => {
    if ((type !== EVENT_PACKET && type !== ACKNOWLEDGEMENT_PACKET) || !Array.isArray(data)) return;
    const [eventOrReply, payload] = data as unknown[];
    const mismatch = type === EVENT_PACKET ? eventMismatch(String(eventOrReply), payload) : joinMismatch(eventOrReply);
    if (mismatch !== undefined) showContractError(new Error(mismatch));
  });
}

/** Shows an error in the console and as an overlay, like a build error. */
function showContractError(error: Error): void {
  logFailure('the contract is broken', error);
  const Overlay = customElements.get('vite-error-overlay');
  if (Overlay) document.body.append(new Overlay(error));
}
