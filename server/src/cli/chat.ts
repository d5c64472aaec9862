import { readFileSync } from 'node:fs';
import { cleanChatText, isBlankChatText } from '@krapao/contract/chat-text';
import type { OtherMessage } from '@krapao/contract/endpoints/chat';
import {
  type ListedConversation,
  parseReply,
  replyAsOperator,
  readConversation,
  type StoredMessage,
  thumbnailLines,
  waitingConversations,
  chatQueue,
} from '../modules/chat/index.ts';
import { systemClock } from '../platform/time.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';
import { openStorage } from '../platform/storage/index.ts';

const USAGE =
  'Write `npm run krapao -- chat` to see who waits for an answer, `npm run krapao -- chat show WHOSE` to read a conversation (its id, or the phone number of its member), `npm run krapao -- chat reply WHOSE NAME TEXT` to answer, or `npm run krapao -- chat reply WHOSE NAME --json FILE` to answer with buttons or cards.';
const LISTED_MAX = 200;
const SHOWN_MAX = 100;
const MINUTE_MS = 60_000;
const EXCERPT_CHARACTERS = 80;

export const chat = withDatabase(async ([action, conversation, ...rest], context) => {
  if (action === undefined) return list(context);
  if (action === 'show' && conversation !== undefined && (rest.length === 0 || isPicturesFlag(rest)))
    return show(context, { conversation, withImages: context.isTerminal || isPicturesFlag(rest) });
  if (action === 'reply' && conversation !== undefined) return reply(context, conversation, rest);
  throw new UserError(USAGE);
});

async function list({ database, print }: DatabaseContext): Promise<number> {
  const waitingConversationRows = await waitingConversations(database, LISTED_MAX);
  for (const conversation of waitingConversationRows) print(`${rowOf(conversation)}\n`);
  for (const item of await selectFailing(database, [chatQueue])) print(failingItem(item));
  const orMore = waitingConversationRows.length === LISTED_MAX ? ' or more' : '';
  print(`${waitingConversationRows.length}${orMore} conversations wait for an answer\n`);
  return 0;
}

function rowOf({ id, customerLabel, ageMs, lastMessage }: ListedConversation): string {
  const text = textOf(lastMessage.message);
  const excerpt = text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
  return [id, `${Math.floor(ageMs / MINUTE_MS)} min`.padStart(9), customerLabel.padEnd(10), excerpt].join('  ');
}

function isPicturesFlag(args: readonly string[]): boolean {
  return args.length === 1 && args[0] === '--pictures';
}

type ShowOptions = { conversation: string; withImages: boolean };

async function show(
  { database, config, print }: DatabaseContext,
  { conversation, withImages }: ShowOptions,
): Promise<number> {
  const conversationDetails = await readConversation(database, conversation, SHOWN_MAX);
  if (!conversationDetails) throw new UserError(`There is no conversation ${conversation}.`);
  const { customerLabel, messages } = conversationDetails;
  const storage = openStorage(config.objectStorage, systemClock);
  for (const message of messages) {
    print(`${shownLine(message)}\n`);
    const file = fileKeyOf(message);
    const lines = withImages && file !== '' ? await thumbnailLines(storage, file) : [];
    for (const line of lines) print(`${' '.repeat(7)}${line}\n`);
  }
  print(`the last ${messages.length} messages with ${customerLabel}\n`);
  return 0;
}

function shownLine({ sequence, sender, message, createdAt }: StoredMessage): string {
  const senderName = sender === 'customer' ? 'customer' : 'we';
  return [String(sequence).padStart(5), createdAt.toISOString(), senderName.padEnd(8), textOf(message)].join('  ');
}

/** Storage key of the message's file; '' for none. */
function fileKeyOf({ message }: StoredMessage): string {
  return message.message_type === 'media' ? message.payload.filePath : '';
}

/** The content of a message, on one line. */
function textOf(message: StoredMessage['message']): string {
  const { message_type: type, payload } = message;
  const isText = 'text' in payload && type === 'text';
  const text = isText ? payload.text : `${type} ${JSON.stringify(payload)}`;
  // Not every field of a message is sanitised, and a terminal executes control characters.
  return cleanChatText(text).replaceAll(/\s+/g, ' ');
}

async function reply(
  { database, print }: DatabaseContext,
  conversation: string,
  [by, ...content]: string[],
): Promise<number> {
  // The operator log needs a reason; the reply is one.
  const signature = readSignature(by, ['an answer in the chat']);
  if (!signature || content.length === 0) throw new UserError(USAGE);
  const message = content[0] === '--json' ? fromFile(content.slice(1)) : fromText(content.join(' '));
  if (!(await replyAsOperator(database, signature.by, conversation, message))) {
    throw new UserError(`There is no conversation ${conversation}.`);
  }
  print(`${conversation} is answered, by ${operatorName(signature)}.\n`);
  return 0;
}

function fromText(text: string): OtherMessage {
  const message = parseReply({ message_type: 'text', payload: { text } });
  if (!message || isBlankChatText(text)) throw new UserError('Nothing is sent: the text is empty or too long.');
  return message;
}

function fromFile([path, ...extraArgs]: string[]): OtherMessage {
  if (path === undefined || extraArgs.length > 0) throw new UserError(USAGE);
  const message = parseReply(read(path));
  if (!message || message.message_type === 'unknown') {
    throw new UserError(`Nothing is sent: ${path} is no message of the chat. docs/runbooks/chat.md has one of each.`);
  }
  return message;
}

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new UserError(`${path} is missing, or is not JSON.`);
  }
}
