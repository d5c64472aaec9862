import type { OtherMessage } from '@krapao/contract/endpoints/chat';
import type { Clock } from '../../../platform/clock.ts';
import { type Database, type Tx, violatedConstraint } from '../../../platform/database/database.ts';
import { uuidV7 } from '../../../platform/ids.ts';
import type { ReplyAuthor } from '../../../counterparties/chat-backend/port.ts';
import { type AnswerId, isConversationId } from '../chat.ts';
import { insertMessage, nextOfOther } from '../queries.ts';

export type SupportAnswer = {
  /** The same id is the same answer, and happens once. */
  answerId: AnswerId;
  conversationId: string;
  message: OtherMessage;
} & ReplyAuthor;

/**
 * Adds an answer of the other side to a conversation, from the backend or an operator. @param signed runs in the same
 * transaction, for rows that belong to the answer
 */
export async function addAnswer(
  { database, clock }: { database: Database; clock: Clock },
  { answerId, conversationId, message, ...by }: SupportAnswer,
  signed: (tx: Tx) => Promise<void> = async () => {},
): Promise<'added' | 'repeated' | 'unknown conversation'> {
  if (!isConversationId(conversationId)) return 'unknown conversation';
  try {
    return await database.tx(async (tx) => {
      const next = await nextOfOther(tx, conversationId, by);
      if (!next) return 'unknown conversation';
      await insertMessage(tx, next.customer, {
        id: uuidV7(clock.now()),
        conversationId,
        sequence: next.sequence,
        sender: 'other',
        message,
        username: '',
        name: '',
        deviceToken: '',
        clientId: '',
        sessionId: '',
        inputHash: null,
        answerId,
      });
      await signed(tx);
      return 'added';
    });
  } catch (error) {
    if (violatedConstraint(error) === 'chat_message_answer_once') return 'repeated';
    throw error;
  }
}
