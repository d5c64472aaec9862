import { EventEmitter } from 'node:events';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';

const SHOWN_MESSAGES = 50;
const KEY_KEPT_MS = 24 * 60 * 60_000;

/** An SMS on the phone. */
export type Message = { from: string; text: string; code: string | null; ref: string | null; at: string };

/**
 * Normalises a mobile number to the key of a phone.
 * @returns `0812345678` for Thai numbers, `+8562012345678` for Lao ones, undefined for numbers that no gateway sends to
 */
export function normalizePhone(input: string): string | undefined {
  const digits = input.replace(/[\s-]/g, '');
  const [, thaiNumber] = /^(?:\+?66|0)([6-9]\d{8})$/.exec(digits) ?? [];
  if (thaiNumber !== undefined) return `0${thaiNumber}`;
  const [, laoNumber] = /^(?:\+?856|0)?(20\d{8}|30\d{7})$/.exec(digits) ?? [];
  return laoNumber === undefined ? undefined : `+856${laoNumber}`;
}

/** The first standalone number of 4 to 8 digits, which a phone offers to fill in. */
function codeOf(text: string): string | null {
  return /(?<![\dA-Za-z])\d{4,8}(?![\dA-Za-z])/.exec(text)?.[0] ?? null;
}

function refOf(text: string): string | null {
  return /(?:\bref\b\.?|อ้างอิง)\s*[:：]?\s*([A-Za-z0-9-]{2,20})/iu.exec(text)?.[1] ?? null;
}

/** The received SMS of all phones. */
export class Messages {
  readonly #store: Store;
  readonly #events = new EventEmitter().setMaxListeners(0);

  constructor(store: Store) {
    this.#store = store;
  }

  /** Delivers a message to a phone (a normalized number). */
  deliver(phone: string, sender: string, text: string): void {
    const nowMs = Date.now();
    const message = { from: sender, text, code: codeOf(text), ref: refOf(text), at: thaiTime(nowMs) };
    this.#store.run(
      'insert into message (phone, sender, text, code, ref, at) values (?, ?, ?, ?, ?, ?)',
      phone,
      sender,
      text,
      message.code,
      message.ref,
      nowMs,
    );
    this.#events.emit(phone, message);
  }

  /**
   * Runs `send` once per key and day: after an accepted reply, a repeated key returns that reply.
   * @param key undefined: the caller named none
   */
  once<Reply>(key: string | undefined, send: () => Reply, isAccepted: (reply: Reply) => boolean): Reply {
    if (key === undefined) return send();
    const nowMs = Date.now();
    return this.#store.atomically(() => {
      this.#store.run('delete from message_key where at < ?', nowMs - KEY_KEPT_MS);
      const known = this.#store.one<{ reply: string }>('select reply from message_key where key = ?', key);
      if (known) return JSON.parse(known.reply) as Reply;
      const reply = send();
      if (!isAccepted(reply)) return reply;
      this.#store.run('insert into message_key (key, reply, at) values (?, ?, ?)', key, JSON.stringify(reply), nowMs);
      return reply;
    });
  }

  /** The newest messages of a phone first. */
  list(phone: string): Message[] {
    return this.#store
      .all<Omit<Message, 'at'> & { at: number }>(
        'select sender as "from", text, code, ref, at from message where phone = ? order by id desc limit ?',
        phone,
        SHOWN_MESSAGES,
      )
      .map((row) => ({ ...row, at: thaiTime(row.at) }));
  }

  /** Calls `listener` with every new message of a phone; returns the unsubscribe function. */
  listen(phone: string, listener: (message: Message) => void): () => void {
    this.#events.on(phone, listener);
    return () => this.#events.off(phone, listener);
  }
}
