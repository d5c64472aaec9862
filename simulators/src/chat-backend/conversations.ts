import { randomBytes } from 'node:crypto';
import type { Outbox } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { answerOf, type ChatMessage } from './robot.ts';

/** The channel of the outbox, and the name in the settings, for answers on their way to the operator. */
export const CHAT_BACKEND_CHANNEL = 'chat-backend';

/** Long enough for a person to see that somebody is writing. */
const ROBOT_THINKS_MS = 1_200;

/** A customer's message, as the operator hands it over. */
export type Received = {
  id: string;
  conversation: string;
  room: string;
  sequence: number;
  customer: { kind: 'member' | 'visitor'; name: string };
  message: ChatMessage;
};

export type Conversation = {
  id: string;
  room: string;
  kind: 'member' | 'visitor';
  name: string;
  taken: number;
  updated_at: number;
  last: string;
  sender: string;
};
export type Kept = { id: string; sender: 'customer' | 'other'; message: string; at: number };

type Deps = { store: Store; outbox: Outbox; settings: Settings; siteUrl: string; onTyping: (room: string) => void };

const LISTED_MAX = 100;

/** What the backend holds: conversations with the operator's customers, and who answers in them. */
export class Conversations {
  readonly #deps: Deps;
  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Keeps a message once; the robot answers unless a person has taken over. */
  receive({ id, conversation, room, sequence, customer, message }: Received): void {
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
          `insert into chat_message (id, conversation, sender, sequence, message, at)
           values (?, ?, 'customer', ?, ?, ?) on conflict do nothing`,
          id,
          conversation,
          sequence,
          JSON.stringify(message),
          now,
        ).changes > 0
      );
    });
    if (!isNew || !settings.chatRobot || this.#isTaken(conversation)) return;
    this.#deps.onTyping(room);
    this.#say(conversation, answerOf(message, sequence === 1, siteUrl), now + ROBOT_THINKS_MS);
  }

  /** A person answers, and the robot leaves this conversation to people from now on. @throws Refusal `unknown_conversation` */
  answer(conversation: string, message: ChatMessage): void {
    const { store } = this.#deps;
    if (store.run('update chat_conversation set taken = 1 where id = ?', conversation).changes === 0) {
      throw new Refusal(404, 'unknown_conversation', 'There is no such conversation');
    }
    this.#say(conversation, message, Date.now());
  }

  /** A person begins to write. */
  type(conversation: string): void {
    const found = this.#deps.store.one<{ room: string }>(
      'select room from chat_conversation where id = ?',
      conversation,
    );
    if (found) this.#deps.onTyping(found.room);
  }

  list(): Conversation[] {
    return this.#deps.store.all<Conversation>(
      `select c.*, (select message from chat_message m where m.conversation = c.id order by at desc, rowid desc limit 1) as last,
              (select sender from chat_message m where m.conversation = c.id order by at desc, rowid desc limit 1) as sender
         from chat_conversation c order by updated_at desc limit ?`,
      LISTED_MAX,
    );
  }

  messages(conversation: string): Kept[] {
    return this.#deps.store.all<Kept>(
      'select id, sender, message, at from chat_message where conversation = ? order by at, rowid limit 1000',
      conversation,
    );
  }

  #isTaken(conversation: string): boolean {
    return (
      this.#deps.store.one<{ taken: number }>('select taken from chat_conversation where id = ?', conversation)
        ?.taken === 1
    );
  }

  #say(conversation: string, message: ChatMessage, dueAt: number): void {
    const { store, outbox } = this.#deps;
    const id = `cb_${randomBytes(12).toString('hex')}`;
    store.atomically(() => {
      store.run(
        "insert into chat_message (id, conversation, sender, message, at) values (?, ?, 'other', ?, ?)",
        id,
        conversation,
        JSON.stringify(message),
        dueAt,
      );
      store.run('update chat_conversation set updated_at = ? where id = ?', dueAt, conversation);
      outbox.owe(
        { channel: CHAT_BACKEND_CHANNEL, key: id, body: JSON.stringify({ id, conversation, message }) },
        dueAt,
      );
    });
  }
}
