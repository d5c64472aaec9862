import { z } from 'zod';
import { chatMessage } from './endpoints/chat.ts';
import { amount, timestamp } from './shapes.ts';

/** Schemas of socket messages from the server. `events.ts` has their types without the schema library. */

/** Acknowledgement of `join`. */
export const joinReply = z.discriminatedUnion('joined', [
  z.object({ joined: z.literal(true) }),
  z.object({ joined: z.literal(false), message: z.string() }),
]);

/** A movement of a member's money, or the outcome of a pending one. */
export const memberEvent = z.object({
  /** Increases with every event of the member; decimal text, because it may exceed 2^53. */
  sequence: z.string().regex(/^\d+$/),
  kind: z.enum(['deposit', 'withdraw', 'transfer', 'play', 'bonus']),
  state: z.enum(['PROCESSING', 'SUCCESS', 'FAILED']),
  reference: z.string(),
  /** Signed change of the free money in the wallet, in wire format. */
  amount,
  at: timestamp,
});

/** `message`: the code with which API calls of the ended session fail. */
export const sessionEnded = z.object({ message: z.string() });

/** Schemas by event name. */
export const socketEvents: Readonly<Record<string, z.ZodType>> = {
  event: memberEvent,
  messaging: chatMessage,
  'session-ended': sessionEnded,
};
