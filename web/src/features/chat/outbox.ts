import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { logFailure, isUndecided, wasNotSent } from '../../api/errors.ts';
import { serverNow } from '../../api/call.ts';
import { randomId } from '../../api/random-id.ts';
import { isFileGone, type Attachment } from './attachment.ts';
import { onSessionEnd, storedToken } from '../../api/session.ts';
import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import type { ImageFormat } from '@krapao/contract/input/image';
import { upload } from '../../api/upload.ts';
import { prepareImage } from '../../shared/image-file.ts';

/** Delivery state of an outgoing message. */
export type Delivery = 'uploading_file' | 'sending' | 'failed' | 'succeed';

/** A message being sent, or failed. */
export type Outgoing = {
  /** Also its idempotency key: resending stores it once. */
  clientId: string;
  message: CustomerMessage;
  state: Delivery;
  /** Upload progress of its file, 0 to 1. */
  progress: number;
  /** ISO. */
  startedAt: string;
};

/**
 * Work before a message is sent: uploads its file.
 * @returns the message to send
 */
export type PrepareMessage = (callbacks: {
  signal: AbortSignal;
  onProgress: (part: number) => void;
  /** Authorization of the customer's calls. */
  authorization: string | undefined;
}) => Promise<CustomerMessage>;

/** Sends a message; it appears in the conversation immediately. */
export type Send = (message: CustomerMessage, prepare?: PrepareMessage) => void;

/** How the conversation sends messages. */
export type MessageTransport = {
  authorization: () => string | undefined;
  /** Resolves when the server has stored it. */
  post: (outgoing: Outgoing) => Promise<void>;
  /** Reports a failed message. */
  onFailure: (failure: unknown) => void;
};

type Entry = {
  shown: Outgoing;
  prepare: PrepareMessage | undefined;
  /** Its file is uploaded, if it has one. */
  isPrepared: boolean;
  ending: AbortController;
  /** Failed without a reply, not by a refusal. */
  isUnanswered: boolean;
};

/** Outgoing messages of one conversation, in order of writing. */
export class Outbox {
  private carrier: MessageTransport;
  private entries: readonly Entry[] = [];
  private shown: readonly Outgoing[] = [];
  /** Posts one after the other to keep the order; uploads run concurrently. */
  private line = Promise.resolve();
  private readonly listeners = new Set<() => void>();

  constructor(carrier: MessageTransport) {
    this.carrier = carrier;
  }

  /** Uses another transport from now on. */
  carryBy(carrier: MessageTransport): void {
    this.carrier = carrier;
  }

  readonly current = (): readonly Outgoing[] => this.shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly send: Send = (message, prepare) => {
    const entry: Entry = {
      shown: {
        clientId: randomId(),
        message,
        state: prepare ? 'uploading_file' : 'sending',
        progress: 0,
        startedAt: new Date(serverNow()).toISOString(),
      },
      prepare,
      isPrepared: prepare === undefined,
      ending: new AbortController(),
      isUnanswered: false,
    };
    this.change([...this.entries, entry]);
    void this.deliver(entry);
  };

  /** Resends a failed message. */
  retry(clientId: string): void {
    const entry = this.find(clientId);
    if (entry?.shown.state === 'failed') void this.deliver(entry);
  }

  /** Resends messages without a reply after a reconnection. */
  retryUnanswered(): void {
    for (const { shown, isUnanswered } of this.entries) if (isUnanswered) this.retry(shown.clientId);
  }

  /** Removes a failed message, or one that is still uploading. */
  remove(clientId: string): void {
    const entry = this.find(clientId);
    if (!entry || entry.shown.state === 'sending') return;
    this.change(this.entries.filter((other) => other !== entry));
    entry.ending.abort();
  }

  /** Aborts all uploads and removes all messages. */
  stop(): void {
    for (const { ending } of this.entries) ending.abort();
    this.change([]);
  }

  private find(clientId: string): Entry | undefined {
    return this.entries.find((entry) => entry.shown.clientId === clientId);
  }

  private change(next: readonly Entry[]): void {
    this.entries = next;
    this.shown = next.map((entry) => entry.shown);
    for (const listener of this.listeners) listener();
  }

  private put(entry: Entry, changes: Partial<Outgoing>): void {
    entry.shown = { ...entry.shown, ...changes };
    if (this.entries.includes(entry)) this.change([...this.entries]);
  }

  private async deliver(entry: Entry): Promise<void> {
    entry.isUnanswered = false;
    try {
      if (entry.prepare && !entry.isPrepared) await this.prepare(entry, entry.prepare);
      this.put(entry, { state: 'sending' });
      const queued = this.line.then(() => (this.entries.includes(entry) ? this.carrier.post(entry.shown) : undefined));
      this.line = queued.catch(() => undefined);
      await queued;
      this.change(this.entries.filter((other) => other !== entry));
    } catch (failure) {
      if (!this.entries.includes(entry)) return;
      logFailure('chat message not sent', failure);
      entry.isUnanswered = isUndecided(failure) || wasNotSent(failure);
      if (isFileGone(failure)) entry.isPrepared = false;
      this.put(entry, { state: 'failed' });
      this.carrier.onFailure(failure);
    }
  }

  private async prepare(entry: Entry, prepare: PrepareMessage): Promise<void> {
    this.put(entry, { state: 'uploading_file', progress: 0 });
    const message = await prepare({
      signal: entry.ending.signal,
      onProgress: (progress) => this.put(entry, { progress }),
      authorization: this.carrier.authorization(),
    });
    // A finished upload is not repeated.
    entry.isPrepared = true;
    this.put(entry, { message, progress: 1 });
  }
}

/** Outboxes of the visitor (null) and of the current member. */
const stores = new Map<string | null, Outbox>();

/** Unsent messages of a member are dropped with the session. */
onSessionEnd(() => {
  for (const [whose, store] of stores) {
    if (whose === null) continue;
    store.stop();
    stores.delete(whose);
  }
});

/** The outbox of the current customer, with messages that the previous conversation left unsent. */
export function outgoingBy(carrier: MessageTransport): Outbox {
  const whose = storedToken();
  const left = stores.get(whose);
  if (left) {
    left.carryBy(carrier);
    return left;
  }
  const store = new Outbox(carrier);
  stores.set(whose, store);
  return store;
}

const IMAGES: { types: readonly ImageFormat[]; bytesMax: number } = {
  types: ['png', 'jpg', 'gif'],
  bytesMax: CHAT_FILE_BYTES_MAX.image,
};

/** Uploads files one after another: concurrently on a slow connection, none would finish. */
let line: Promise<unknown> = Promise.resolve();

/** Number of uploading or queued files. */
let underWay = 0;

/** The browser asks for confirmation before leaving the page. */
const askFirst = (event: BeforeUnloadEvent): void => event.preventDefault();

function inLine<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  underWay += 1;
  addEventListener('beforeunload', askFirst);
  const queued = line
    .then(() => {
      // Removed while it was queued.
      signal.throwIfAborted();
      return work();
    })
    .finally(() => {
      underWay -= 1;
      if (underWay === 0) removeEventListener('beforeunload', askFirst);
    });
  line = queued.catch(() => undefined);
  return queued;
}

/** Sends a file with an optional text. It is shown from this browser until the server has stored it. */
export function sendMedia(send: Send, { file, kind, address }: Attachment, words: string): void {
  const messageOf = (filePath: string): CustomerMessage => ({
    message_type: 'media',
    payload: { message: words, url: address, fileType: kind, filePath },
  });
  const prepare: PrepareMessage = ({ signal, onProgress, authorization }) => {
    signal.addEventListener('abort', () => URL.revokeObjectURL(address), { once: true });
    return inLine(signal, async () => {
      // The server reports errors of an image that this browser can't decode.
      const sent = kind === 'image' ? await prepareImage(file, IMAGES).catch(() => file) : file;
      const { path } = await upload(`POST /api/chat/upload-${kind}`, sent, {
        signal,
        onProgress,
        ...(authorization && { authorization }),
      });
      return messageOf(path);
    });
  };
  send(messageOf(''), prepare);
}
