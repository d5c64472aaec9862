import { cleanChatText, isBlankChatText } from '@krapao/contract/chat-text';
import type { SupportMessage } from '@krapao/contract/endpoints/chat';
import { type Ledger, statementRows } from '../ledger/index.ts';
import { findMember } from '../modules/account/index.ts';
import {
  type CustomerRef,
  findMovementOf,
  type ListedConversation,
  type Movement,
  parseReply,
  replyAsOperator,
  readConversation,
  type StoredMessage,
  thumbnailLines,
  waitingConversations,
  chatQueue,
} from '../modules/chat/index.ts';
import { movementReader } from '../modules/timeline/index.ts';
import type { Environment } from '../platform/config.ts';
import { UserError } from '../platform/errors.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { operatorName } from '../platform/operator-log.ts';
import { openStorage } from '../platform/storage/index.ts';
import { systemClock, timeOf } from '../platform/time.ts';
import { refuseMore, requireArgument, requireSignature, unknownAction } from './arguments.ts';
import { readJsonArgument } from './document-file.ts';
import { type DatabaseContext, withDatabase } from './run-command.ts';

export const USAGE =
  'Write `krapao chat` to see who waits for an answer, `krapao chat show WHOSE [--pictures]` to read a conversation (its id, or the phone, id or code of its member), `krapao chat reply WHOSE NAME TEXT` to answer, or `krapao chat reply WHOSE NAME --json FILE` to answer with buttons or cards.';
const LISTED_MAX = 200;
const SHOWN_MAX = 100;
const MINUTE_MS = 60_000;
const EXCERPT_CHARACTERS = 80;

export const chat = withDatabase(async ([action, conversation, ...rest], context) => {
  if (action === undefined) return list(context);
  if (action !== 'show' && action !== 'reply') throw unknownAction(action, USAGE);
  const whose = requireArgument(conversation, 'WHOSE', USAGE);
  if (action === 'reply') return reply(context, whose, rest);
  if (!isPicturesFlag(rest)) refuseMore(rest, USAGE);
  return show(context, { conversation: whose, withImages: context.isTerminal || isPicturesFlag(rest) });
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
  return [id, `${Math.floor(ageMs / MINUTE_MS)} min`.padStart(9), customerLabel.padEnd(28), excerpt].join('  ');
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
  const { customer, customerLabel, messages } = conversationDetails;
  const movementLinesOf = movementPrinter(database, customer);
  const storage = openStorage(config.objectStorage, systemClock);
  for (const message of messages) {
    print(`${shownLine(message)}\n`);
    for (const line of await movementLinesOf(message)) print(`${' '.repeat(7)}${line}\n`);
    const file = fileKeyOf(message);
    const lines = withImages && file !== '' ? await thumbnailLines(storage, file) : [];
    for (const line of lines) print(`${' '.repeat(7)}${line}\n`);
  }
  print(`the last ${messages.length} messages with ${customerLabel}\n`);
  return 0;
}

function shownLine({ sequence, sender, message, createdAt }: StoredMessage): string {
  const senderName = sender === 'customer' ? 'customer' : 'we';
  return [String(sequence).padStart(5), timeOf(createdAt), senderName.padEnd(8), textOf(message)].join('  ');
}

/** Prints the movement that a message names, if it is the customer's own. Each is read once. */
function movementPrinter(
  database: DatabaseContext['database'],
  customer: CustomerRef,
): (message: StoredMessage) => Promise<string[]> {
  const ledger = { statementRows: bindStatementRows(database) };
  const findMovement = movementReader({ database, ledger, clock: systemClock }, 'en');
  const deps = { database, account: { memberById: findMember }, findMovement };
  const linesByKey = new Map<string, Promise<string[]>>();
  const readLines = async (key: string): Promise<string[]> => {
    const movement = await findMovementOf(deps, customer, key);
    return movement ? movementLines(movement) : [`${key}  is not a movement of this customer`];
  };
  return async ({ reference }) => {
    if (reference === null) return [];
    const lines = linesByKey.get(reference) ?? readLines(reference);
    linesByKey.set(reference, lines);
    return lines;
  };
}

const bindStatementRows =
  (database: DatabaseContext['database']): Ledger['statementRows'] =>
  (memberId, operations, on = database) =>
    statementRows(on, memberId, operations);

/** Kind, state, amounts and masked account of a movement, then its steps. */
function movementLines(movement: Movement): string[] {
  const { reference, kind, status, amount, requested, currency, from, to, account, reason, isLate, steps } = movement;
  const facts = [
    reference,
    kind,
    isLate ? `${status} late` : status,
    `${amount} of ${requested ?? 'unknown'} ${currency}`,
    `${from} to ${to}`,
    ...(account === null ? [] : [account]),
    ...(reason === null ? [] : [reason]),
  ];
  const stepLines = steps.map(
    ({ name, at, isDone }) =>
      `  ${(at === null ? (isDone ? 'done' : 'open') : timeOf(new Date(at))).padEnd(25)}  ${name}`,
  );
  return [facts.join('  '), ...stepLines];
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
  { database, environment, print }: DatabaseContext,
  conversation: string,
  [by, ...content]: string[],
): Promise<number> {
  // The operator log needs a reason; the reply is one.
  const signature = requireSignature(by, ['an answer in the chat'], USAGE);
  if (content.length === 0) throw new UserError(`TEXT is missing. ${USAGE}`);
  const message = content[0] === '--json' ? await fromFile(environment, content.slice(1)) : fromText(content.join(' '));
  if (!(await replyAsOperator(database, signature.by, conversation, message))) {
    throw new UserError(`There is no conversation ${conversation}.`);
  }
  print(`${conversation} is answered, by ${operatorName(signature)}.\n`);
  return 0;
}

function fromText(text: string): SupportMessage {
  const message = parseReply({ message_type: 'text', payload: { text } });
  if (!message || isBlankChatText(text)) throw new UserError('Nothing is sent: the text is empty or too long.');
  return message;
}

async function fromFile(environment: Environment, [file, ...extraArgs]: string[]): Promise<SupportMessage> {
  const path = requireArgument(file, 'FILE', USAGE);
  refuseMore(extraArgs, USAGE);
  const message = parseReply(await readJsonArgument(environment, path));
  if (!message || message.message_type === 'unknown') {
    throw new UserError(`Nothing is sent: ${path} is no message of the chat. docs/runbooks/chat.md has one of each.`);
  }
  return message;
}
