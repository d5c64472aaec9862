import { buffer } from 'node:stream/consumers';
import type { SupportMessage } from '@krapao/contract/endpoints/chat';
import { Gauge, type Registry } from 'prom-client';
import sharp from 'sharp';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { logOperator } from '../../platform/operator-log.ts';
import { decodingOptions, restrictImageDecoders } from '../../platform/storage/image-decoders.ts';
import type { ObjectStorage } from '../../platform/storage/port.ts';
import { systemClock } from '../../platform/time.ts';
import { findMemberByText, memberName } from '../account/index.ts';
import { addSupportReply } from './backend.ts';
import { type CustomerRef, isConversationId, type StoredMessage } from './chat.ts';
import { contentTypeOf } from './files.ts';
import { selectHistory } from './queries.ts';
import {
  findConversation,
  findCustomer,
  selectWaitingConversations,
  type WaitingConversation,
  countUnforwarded,
} from './support-queries.ts';

/** A conversation in the operators' list. */
export type ListedConversation = WaitingConversation & { customerLabel: string };

/** Lists at most `limit` unanswered conversations with their customers. */
export async function waitingConversations(db: Queryable, limit: number): Promise<ListedConversation[]> {
  const conversations: ListedConversation[] = [];
  for (const conversation of await selectWaitingConversations(db, limit)) {
    conversations.push({ ...conversation, customerLabel: await customerLabel(db, conversation.customer) });
  }
  return conversations;
}

/** The member's phone, code and name, or that the customer is a visitor. */
async function customerLabel(db: Queryable, { kind, id }: CustomerRef): Promise<string> {
  if (kind === 'visitor') return 'visitor';
  return memberName(db, id);
}

/**
 * Reads the last messages of a conversation, oldest first. @param idOrPhone the conversation's id, or the member's id
 * or phone
 */
export async function readConversation(
  db: Queryable,
  idOrPhone: string,
  limit: number,
): Promise<{ customer: CustomerRef; customerLabel: string; messages: StoredMessage[] } | undefined> {
  const id = await findConversationId(db, idOrPhone);
  const customer = id === undefined ? undefined : await findCustomer(db, id);
  if (!customer) return undefined;
  const messages = await selectHistory(db, customer, { skip: 0, limit });
  return { customer, customerLabel: await customerLabel(db, customer), messages: messages.toReversed() };
}

async function findConversationId(db: Queryable, idOrPhone: string): Promise<string | undefined> {
  if (isConversationId(idOrPhone) && (await findCustomer(db, idOrPhone))) return idOrPhone;
  const memberId = await findMemberByText(db, idOrPhone);
  return memberId === undefined ? undefined : findConversation(db, { kind: 'member', id: memberId });
}

/** Replies in a conversation and logs the operator. @returns false when there is no such conversation */
export async function replyAsOperator(
  database: Database,
  operator: string,
  idOrPhone: string,
  message: SupportMessage,
): Promise<boolean> {
  const conversationId = await findConversationId(database, idOrPhone);
  if (conversationId === undefined) return false;
  const id = uuidV7(systemClock.now());
  const outcome = await addSupportReply(
    { database, clock: systemClock },
    { answerId: `operator:${id}`, conversationId, message, author: 'person', needsPerson: false },
    (tx) => logOperator(tx, { by: operator, why: `answer ${id}` }, { what: 'chat reply', subject: conversationId }),
  );
  return outcome === 'added';
}

/** Number of messages not yet forwarded to the chat backend, for all nodes, read from the tables on demand. */
export function measureUnforwarded(metrics: Registry, database: Database): void {
  new Gauge({
    name: 'krapao_chat_messages_untold',
    help: 'Messages of customers that the chat backend has not taken yet',
    // Equal in every API process.
    aggregator: 'first',
    registers: [metrics],
    async collect() {
      this.set(await countUnforwarded(database));
    },
  });
}

const THUMBNAIL_COLUMNS = 48;
const THUMBNAIL_ROWS = 24;
const PIXELS_PER_ROW = 2;
const ANSI_RESET = '\u001b[0m';

/**
 * Thumbnail of a customer's image for a terminal: half blocks in 24-bit colours.
 * @param key storage key of the file
 * @returns no lines when the file is not an image or can't be read
 */
export async function thumbnailLines(storage: ObjectStorage, key: string): Promise<string[]> {
  if (!contentTypeOf(key)?.startsWith('image/')) return [];
  restrictImageDecoders();
  const object = await storage.get(key).catch(() => undefined);
  if (!object) return [];
  try {
    return renderLines(await decodePixels(await buffer(object.stream)));
  } catch {
    return [];
  }
}

type Pixels = { data: Buffer; width: number; height: number };

async function decodePixels(file: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(file, decodingOptions(file))
    .resize({
      width: THUMBNAIL_COLUMNS,
      height: THUMBNAIL_ROWS * PIXELS_PER_ROW,
      fit: 'inside',
      withoutEnlargement: true,
    })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function renderLines({ data, width, height }: Pixels): string[] {
  const colourAt = (x: number, y: number): string => {
    const offset = (y * width + x) * 3;
    return [data[offset], data[offset + 1], data[offset + 2]].join(';');
  };
  const renderCell = (x: number, y: number): string => {
    const lowerColour = y + 1 < height ? `\u001b[48;2;${colourAt(x, y + 1)}m` : '';
    return `\u001b[38;2;${colourAt(x, y)}m${lowerColour}\u2580`;
  };
  const lines: string[] = [];
  for (let y = 0; y < height; y += PIXELS_PER_ROW)
    lines.push(Array.from({ length: width }, (_, x) => renderCell(x, y)).join('') + ANSI_RESET);
  return lines;
}
