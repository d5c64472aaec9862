import { readFileSync } from 'node:fs';
import { cleanChatText, isBlankChatText } from '@krapao/contract/chat-text';
import type { OtherMessage } from '@krapao/contract/endpoints/chat';
import {
  type ConversationOnList,
  parseReply,
  replyAsOperator,
  readConversation,
  type StoredMessage,
  thumbnailLines,
  waitingConversations,
  chatQueue,
} from '../modules/chat/index.ts';
import { systemClock } from '../platform/time.ts';
import type { Config } from '../platform/config.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { UserError } from '../platform/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorName, readSignature } from '../platform/operator-log.ts';
import { runCliCommand } from './run-command.ts';
import { openStorage } from '../platform/storage/index.ts';

const USAGE =
  'Write `npm run chat` to see who waits for an answer, `npm run chat -- show WHOSE` to read a conversation (its id, or the phone number of its member), `npm run chat -- reply WHOSE NAME TEXT` to answer, or `npm run chat -- reply WHOSE NAME --json FILE` to answer with buttons or cards.';
const LISTED_MAX = 200;
const SHOWN_MAX = 100;
const MINUTE_MS = 60_000;
const WORDS_CHARACTERS = 80;

await runCliCommand((database, config) => run(database, config, process.argv.slice(2)));

async function run(database: Database, config: Config, [word, whose, ...rest]: string[]): Promise<number> {
  if (word === undefined) return list(database);
  if (word === 'show' && whose !== undefined && (rest.length === 0 || isPicturesFlag(rest)))
    return show(database, config, { whose, withPictures: process.stdout.isTTY || isPicturesFlag(rest) });
  if (word === 'reply' && whose !== undefined) return reply(database, whose, rest);
  throw new UserError(USAGE);
}

async function list(database: Database): Promise<number> {
  const waiting = await waitingConversations(database, LISTED_MAX);
  for (const conversation of waiting) process.stdout.write(`${lineOf(conversation)}\n`);
  for (const item of await selectFailing(database, [chatQueue])) process.stdout.write(failingItem(item));
  const most = waiting.length === LISTED_MAX ? ' or more' : '';
  process.stdout.write(`${waiting.length}${most} conversations wait for an answer\n`);
  return 0;
}

function lineOf({ id, who, ageMs, last }: ConversationOnList): string {
  const words = wordsOf(last.message);
  const shown = words.length > WORDS_CHARACTERS ? `${words.slice(0, WORDS_CHARACTERS)}…` : words;
  return [id, `${Math.floor(ageMs / MINUTE_MS)} min`.padStart(9), who.padEnd(10), shown].join('  ');
}

function isPicturesFlag(words: readonly string[]): boolean {
  return words.length === 1 && words[0] === '--pictures';
}

type ShowOptions = { whose: string; withPictures: boolean };

async function show(
  database: Database,
  { objectStorage }: Config,
  { whose, withPictures }: ShowOptions,
): Promise<number> {
  const found = await readConversation(database, whose, SHOWN_MAX);
  if (!found) throw new UserError(`There is no conversation ${whose}.`);
  const { who, messages } = found;
  const storage = openStorage(objectStorage, systemClock);
  for (const message of messages) {
    process.stdout.write(`${shownLine(message)}\n`);
    const file = fileKeyOf(message);
    const lines = withPictures && file !== '' ? await thumbnailLines(storage, file) : [];
    for (const line of lines) process.stdout.write(`${' '.repeat(7)}${line}\n`);
  }
  process.stdout.write(`the last ${messages.length} messages with ${who}\n`);
  return 0;
}

function shownLine({ sequence, sender, message, createdAt }: StoredMessage): string {
  const from = sender === 'customer' ? 'customer' : 'we';
  return [String(sequence).padStart(5), createdAt.toISOString(), from.padEnd(8), wordsOf(message)].join('  ');
}

/** Storage key of the message's file; '' for none. */
function fileKeyOf({ message }: StoredMessage): string {
  return message.message_type === 'media' ? message.payload.filePath : '';
}

/** The content of a message, on one line. */
function wordsOf(message: StoredMessage['message']): string {
  const { message_type: type, payload } = message;
  const isText = 'text' in payload && type === 'text';
  const words = isText ? payload.text : `${type} ${JSON.stringify(payload)}`;
  // Not every field of a message is sanitised, and a terminal executes control characters.
  return cleanChatText(words).replaceAll(/\s+/g, ' ');
}

async function reply(database: Database, whose: string, [by, ...words]: string[]): Promise<number> {
  // The reply itself stands as the reason.
  const signature = readSignature(by, ['an answer in the chat']);
  if (!signature || words.length === 0) throw new UserError(USAGE);
  const message = words[0] === '--json' ? fromFile(words.slice(1)) : fromWords(words);
  if (!(await replyAsOperator(database, signature.by, whose, message))) {
    throw new UserError(`There is no conversation ${whose}.`);
  }
  process.stdout.write(`${whose} is answered, by ${operatorName(signature)}.\n`);
  return 0;
}

function fromWords(words: readonly string[]): OtherMessage {
  const text = words.join(' ');
  const message = parseReply({ message_type: 'text', payload: { text } });
  if (!message || isBlankChatText(text)) throw new UserError('Nothing is sent: the text is empty or too long.');
  return message;
}

function fromFile([path, ...more]: string[]): OtherMessage {
  if (path === undefined || more.length > 0) throw new UserError(USAGE);
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
