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
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import type { ObjectStorage } from '../../platform/storage/port.ts';
import { decodingOptions, restrictImageDecoders } from '../../platform/storage/image-decoders.ts';
import { contentTypeOf } from './files.ts';

/** A conversation as an operator sees it. */
export type ConversationOnList = WaitingConversation & { who: string };

/** Conversations without a reply, at most `limit`, with their customers. */
export async function waitingConversations(on: Queryable, limit: number): Promise<ConversationOnList[]> {
  const list: ConversationOnList[] = [];
  for (const waiting of await selectWaiting(on, limit)) {
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

/** Messages not yet forwarded to the chat backend, read from the tables on demand, for all nodes. */
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

const COLUMNS = 48;
const ROWS = 24;
const PIXELS_PER_ROW = 2;
const RESET = '\u001b[0m';

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
    return linesOf(await decode(await buffer(object.stream)));
  } catch {
    return [];
  }
}

type Pixels = { data: Buffer; width: number; height: number };

async function decode(file: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(file, decodingOptions(file))
    .resize({ width: COLUMNS, height: ROWS * PIXELS_PER_ROW, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function linesOf({ data, width, height }: Pixels): string[] {
  const colourAt = (x: number, y: number): string => {
    const at = (y * width + x) * 3;
    return [data[at], data[at + 1], data[at + 2]].join(';');
  };
  const cell = (x: number, y: number): string => {
    const below = y + 1 < height ? `\u001b[48;2;${colourAt(x, y + 1)}m` : '';
    return `\u001b[38;2;${colourAt(x, y)}m${below}\u2580`;
  };
  const lines: string[] = [];
  for (let y = 0; y < height; y += PIXELS_PER_ROW)
    lines.push(Array.from({ length: width }, (_, x) => cell(x, y)).join('') + RESET);
  return lines;
}
