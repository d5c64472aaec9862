import { z } from 'zod';
import { chatMessage } from './endpoints/chat.ts';
import { amount, timestamp } from './shapes.ts';

/** What the server sends over the socket, as schemas. `events.ts` has their types and needs no schema library. */

/** Acknowledges `join`. */
export const joinReply = z.discriminatedUnion('joined', [
  z.object({ joined: z.literal(true) }),
  z.object({ joined: z.literal(false), message: z.string() }),
]);

/** A movement of a member's money, or the outcome of one that was in progress. */
export const memberEvent = z.object({
  /** Grows with every event of the member; a decimal text because it may pass 2^53. */
  sequence: z.string().regex(/^\d+$/),
  kind: z.enum(['deposit', 'withdraw', 'transfer', 'play', 'bonus']),
  state: z.enum(['PROCESSING', 'SUCCESS', 'FAILED']),
  reference: z.string(),
  /** Signed change of the free money in the wallet, in wire format. */
  amount,
  at: timestamp,
});

/** `message`: the code that an API call of the ended session is refused with. */
export const sessionEnded = z.object({ message: z.string() });

/** By the name of the event. */
export const socketEvents: Readonly<Record<string, z.ZodType>> = {
  event: memberEvent,
  messaging: chatMessage,
  'session-ended': sessionEnded,
};
