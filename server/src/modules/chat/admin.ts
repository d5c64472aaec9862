import type { OtherMessage } from '@krapao/contract/endpoints/chat';
import { systemClock } from '../../platform/time.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { logOperator } from '../../platform/operator-log.ts';
import { findMember, memberNamed } from '../account/index.ts';
import { addReply } from './backend.ts';
import { type CustomerRef, isConversationId, type StoredMessage } from './chat.ts';
import {
  findConversation,
  findCustomer,
  selectWaiting,
  type WaitingConversation,
  countUnforwarded,
} from './support-queries.ts';
import { selectHistory } from './queries.ts';
import { Gauge, type Registry } from 'prom-client';

/** A conversation as an operator sees it. */
export type ConversationOnList = WaitingConversation & { who: string };

/** Conversations that wait for an answer, at most so many, and who waits. */
export async function waitingConversations(on: Queryable, most: number): Promise<ConversationOnList[]> {
  const list: ConversationOnList[] = [];
  for (const waiting of await selectWaiting(on, most)) {
    list.push({ ...waiting, who: await whoIs(on, waiting.customer) });
  }
  return list;
}

/** The member's phone, or that it is a visitor. */
async function whoIs(on: Queryable, { kind, id }: CustomerRef): Promise<string> {
  if (kind === 'visitor') return 'visitor';
  return (await findMember(on, id))?.phone ?? 'deleted member';
}

/** The last messages of a conversation, oldest first. `named`: its id, or its member's id or phone. */
export async function readConversation(
  on: Queryable,
  named: string,
  most: number,
): Promise<{ who: string; messages: StoredMessage[] } | undefined> {
  const id = await conversationNamed(on, named);
  const customer = id === undefined ? undefined : await findCustomer(on, id);
  if (!customer) return undefined;
  const messages = await selectHistory(on, customer, { skip: 0, limit: most });
  return { who: await whoIs(on, customer), messages: messages.toReversed() };
}

async function conversationNamed(on: Queryable, named: string): Promise<string | undefined> {
  if (isConversationId(named) && (await findCustomer(on, named))) return named;
  const memberId = await memberNamed(on, named);
  return memberId === undefined ? undefined : findConversation(on, { kind: 'member', id: memberId });
}

/** Replies in a conversation and logs the operator. False when there is no such conversation. */
export async function replyAsOperator(
  database: Database,
  by: string,
  named: string,
  message: OtherMessage,
): Promise<boolean> {
  const conversationId = await conversationNamed(database, named);
  if (conversationId === undefined) return false;
  const id = uuidV7(systemClock.now());
  const outcome = await addReply(
    { database, clock: systemClock },
    { answerId: `operator:${id}`, conversationId, message, author: 'person', needsPerson: false },
    (tx) => logOperator(tx, { by, why: `answer ${id}` }, { what: 'chat reply', subject: conversationId }),
  );
  return outcome === 'added';
}

/** What the chat backend has not taken. Read when it is asked: the tables hold the truth for all nodes. */
export function measureUnforwarded(metrics: Registry, database: Database): void {
  new Gauge({
    name: 'krapao_chat_messages_untold',
    help: 'Messages of customers that the chat backend has not taken yet',
    // Every API process reads the same.
    aggregator: 'first',
    registers: [metrics],
    async collect() {
      this.set(await countUnforwarded(database));
    },
  });
}
