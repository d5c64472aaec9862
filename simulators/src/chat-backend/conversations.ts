import { randomBytes } from 'node:crypto';
import type { Outbox } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { answerOf, type ChatMessage, needsPerson, wordsOf } from './robot.ts';

/** Outbox channel and settings name of replies to the operator. */
export const CHAT_BACKEND_CHANNEL = 'chat-backend';

/** Delay of a robot's reply, long enough for the typing indicator to be seen. */
const ROBOT_THINKS_MS = 1_200;

/** A customer's message that the operator forwards. */
export type ReceivedMessage = {
  id: string;
  conversation: string;
  room: string;
  sequence: number;
  customer: { kind: 'member' | 'visitor'; name: string };
  message: ChatMessage;
  /** Movement of money that the message is about. */
  reference?: string | undefined;
};

export type Conversation = {
  id: string;
  kind: 'member' | 'visitor';
  name: string;
  /** The last message, its sender and its time. */
  last: string;
  sender: 'customer' | 'other';
  /** 1 when the robot sent the last message. */
  isRobot: 0 | 1;
  lastAt: number;
  /** Unread messages of the customer. */
  unread: number;
  /** Start of the customer's wait for a reply; null when they are not waiting. */
  waitingSince: number | null;
};
export type StoredMessage = {
  id: string;
  sender: 'customer' | 'other';
  message: string;
  at: number;
  reference: string | null;
};

type ConversationDeps = {
  store: Store;
  outbox: Outbox;
  settings: Settings;
  siteUrl: string;
  onTyping: (room: string) => void;
};

const LISTED_MAX = 300;

/** A customer waits from the first unanswered message; if a person is needed, until a person replies. */
const LIST_SQL = `
select c.id, c.kind, c.name, l.message as last, l.sender, l.at as "lastAt",
       l.sender = 'other' and l.by_person = 0 as "isRobot",
       (select count(*) from chat_message m where m.conversation = c.id and m.sender = 'customer' and m.rowid > c.seen) as unread,
       (select min(m.at) from chat_message m
         where m.conversation = c.id and m.sender = 'customer'
           and m.rowid > coalesce((select max(p.rowid) from chat_message p where p.conversation = c.id and p.by_person = 1), 0)
           and (m.asks_person = 1
             or m.rowid > coalesce((select max(o.rowid) from chat_message o where o.conversation = c.id and o.sender = 'other'), 0))
       ) as "waitingSince"
  from chat_conversation c
  join chat_message l on l.rowid = (select max(rowid) from chat_message where conversation = c.id)
 order by "waitingSince" is null, "waitingSince", c.updated_at desc limit ?`;

/** State of the backend: conversations with the operator's customers, and whether robot or person replies. */
export class Conversations {
  readonly #deps: ConversationDeps;
  constructor(deps: ConversationDeps) {
    this.#deps = deps;
  }

  /** Stores a message once; the robot replies unless a person has taken over. */
  receive({ id, conversation, room, sequence, customer, message, reference }: ReceivedMessage): void {
    const { store, settings, siteUrl } = this.#deps;
    const now = Date.now();
    const isNew = store.atomically(() => {
      store.run(
        `insert into chat_conversation (id, room, kind, name, updated_at) values (?, ?, ?, ?, ?)
         on conflict (id) do update set name = excluded.name, updated_at = excluded.updated_at`,
        conversation,
        room,
        customer.kind,
        customer.name,
        now,
      );
      return (
        store.run(
          `insert into chat_message (id, conversation, sender, sequence, message, at, asks_person, reference)
           values (?, ?, 'customer', ?, ?, ?, ?, ?) on conflict do nothing`,
          id,
          conversation,
          sequence,
          JSON.stringify(message),
          now,
          Number(needsPerson(message, sequence === 1)),
          reference ?? null,
        ).changes > 0
      );
    });
    if (!isNew || !settings.chatRobot || this.#isTaken(conversation)) return;
    this.#deps.onTyping(room);
    const context = {
      isFirst: sequence === 1,
      words: wordsOf(message) || this.#lastWords(conversation),
      position: this.#queuePosition(conversation),
      siteUrl,
    };
    this.#say(conversation, answerOf(message, context), { at: now + ROBOT_THINKS_MS, byPerson: false });
  }

  /** Sends a person's reply and turns the robot off in this conversation. @throws Refusal `unknown_conversation` */
  answer(conversation: string, message: ChatMessage): void {
    const { store } = this.#deps;
    if (store.run('update chat_conversation set taken = 1 where id = ?', conversation).changes === 0) {
      throw new Refusal(404, 'unknown_conversation', 'There is no such conversation');
    }
    this.#say(conversation, message, { at: Date.now(), byPerson: true });
    this.see(conversation);
  }

  /** Signals that a person is typing. */
  type(conversation: string): void {
    const conversationRow = this.#deps.store.one<{ room: string }>(
      'select room from chat_conversation where id = ?',
      conversation,
    );
    if (conversationRow) this.#deps.onTyping(conversationRow.room);
  }

  /** Marks all current messages as read by support. */
  see(conversation: string): void {
    this.#deps.store.run(
      `update chat_conversation set seen = (select coalesce(max(rowid), 0) from chat_message where conversation = ?1)
        where id = ?1`,
      conversation,
    );
  }

  /** Waiting conversations first, longest waiting first; then the others, last updated first. */
  list(): Conversation[] {
    return this.#deps.store.all<Conversation>(LIST_SQL, LISTED_MAX);
  }

  messages(conversation: string): StoredMessage[] {
    return this.#deps.store.all<StoredMessage>(
      'select id, sender, message, at, reference from chat_message where conversation = ? order by at, rowid limit 1000',
      conversation,
    );
  }

  /** The customer's position in the queue, from 1. */
  #queuePosition(conversation: string): number {
    const waitingConversations = this.list().filter(({ waitingSince }) => waitingSince !== null);
    const index = waitingConversations.findIndex(({ id }) => id === conversation);
    return (index < 0 ? waitingConversations.length : index) + 1;
  }

  /** The customer's last text; '' if there is none. */
  #lastWords(conversation: string): string {
    const customerMessages = this.#deps.store.all<{ message: string }>(
      `select message from chat_message where conversation = ? and sender = 'customer' order by rowid desc limit 50`,
      conversation,
    );
    return (
      customerMessages.map(({ message }) => wordsOf(JSON.parse(message) as ChatMessage)).find((text) => text !== '') ??
      ''
    );
  }

  #needsPerson(conversation: string): boolean {
    return this.list().some(({ id, waitingSince }) => id === conversation && waitingSince !== null);
  }

  #isTaken(conversation: string): boolean {
    return (
      this.#deps.store.one<{ taken: number }>('select taken from chat_conversation where id = ?', conversation)
        ?.taken === 1
    );
  }

  #say(conversation: string, message: ChatMessage, { at: dueAt, byPerson }: { at: number; byPerson: boolean }): void {
    const { store, outbox } = this.#deps;
    const id = `cb_${randomBytes(12).toString('hex')}`;
    store.atomically(() => {
      store.run(
        `insert into chat_message (id, conversation, sender, message, at, by_person) values (?, ?, 'other', ?, ?, ?)`,
        id,
        conversation,
        JSON.stringify(message),
        dueAt,
        Number(byPerson),
      );
      store.run('update chat_conversation set updated_at = ? where id = ?', dueAt, conversation);
      // Read after the reply is stored: a customer who still waits needs a person.
      const author = byPerson ? 'person' : 'robot';
      const body = JSON.stringify({ id, conversation, message, author, needsPerson: this.#needsPerson(conversation) });
      outbox.enqueue({ channel: CHAT_BACKEND_CHANNEL, key: id, body }, dueAt);
    });
  }
}
