import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { logFailure } from '../../api/errors.ts';
import { serverNow } from '../../api/call.ts';
import { isUndecided, wasNotSent } from '../../api/query/command.ts';
import { randomId } from '../../api/random-id.ts';
import { isFileGone, type Attachment } from './attachment.ts';
import { onSessionEnd, storedToken } from '../../api/session.ts';
import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import type { ImageFormat } from '@krapao/contract/input/image';
import { upload } from '../../api/upload.ts';
import { prepareImage } from '../../shared/image-file.ts';

/** How far a message of one's own has come. */
export type Delivery = 'uploading_file' | 'sending' | 'failed' | 'succeed';

/** A message that is being sent, or failed. */
export type Outgoing = {
  /** Also its idempotency key: sent again, it arrives once. */
  clientId: string;
  message: CustomerMessage;
  state: Delivery;
  /** Of its file, 0 to 1. */
  progress: number;
  /** ISO. */
  startedAt: string;
};

/**
 * What must happen before a message can be sent: its file goes up.
 * @returns the message as it is to be sent
 */
export type PrepareMessage = (told: {
  signal: AbortSignal;
  onProgress: (part: number) => void;
  /** For the calls of this customer. */
  authorization: string | undefined;
}) => Promise<CustomerMessage>;

/** Sends a message; it stands in the conversation at once. */
export type Send = (message: CustomerMessage, prepare?: PrepareMessage) => void;

/** The parts of sending that belong to the conversation. */
export type MessageTransport = {
  authorization: () => string | undefined;
  /** Resolves when the server has it. */
  post: (outgoing: Outgoing) => Promise<void>;
  /** A message failed: say why. */
  onFailure: (failure: unknown) => void;
};

type Entry = {
  shown: Outgoing;
  prepare: PrepareMessage | undefined;
  /** Its file is up, if it has one. */
  isPrepared: boolean;
  ending: AbortController;
  /** It failed for want of an answer, not because it was refused. */
  isUnanswered: boolean;
};

/** The messages of one conversation that are being sent, in the order in which they were written. */
export class Outbox {
  private carrier: MessageTransport;
  private entries: readonly Entry[] = [];
  private shown: readonly Outgoing[] = [];
  /** One after the other, so that they arrive as they were written; files go up beside each other. */
  private line = Promise.resolve();
  private readonly listeners = new Set<() => void>();

  constructor(carrier: MessageTransport) {
    this.carrier = carrier;
  }

  /** Another one carries them from here on. */
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

  /** Sends a failed one again. */
  retry(clientId: string): void {
    const entry = this.find(clientId);
    if (entry?.shown.state === 'failed') void this.deliver(entry);
  }

  /** The line is back: what got no answer goes again, as it would if one pressed for it. */
  retryUnanswered(): void {
    for (const { shown, isUnanswered } of this.entries) if (isUnanswered) this.retry(shown.clientId);
  }

  /** Takes a failed one away, or one whose file is still going up. */
  remove(clientId: string): void {
    const entry = this.find(clientId);
    if (!entry || entry.shown.state === 'sending') return;
    this.change(this.entries.filter((other) => other !== entry));
    entry.ending.abort();
  }

  /** Breaks off whatever is going up, and forgets all. */
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
      const mine = this.line.then(() => (this.entries.includes(entry) ? this.carrier.post(entry.shown) : undefined));
      this.line = mine.catch(() => undefined);
      await mine;
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
    // What is up needn't go up again.
    entry.isPrepared = true;
    this.put(entry, { message, progress: 1 });
  }
}

/** Messages in flight or failed, of the visitor (null) and of the member who is logged in. */
const stores = new Map<string | null, Outbox>();

/** What a member has not sent is not for the next one. */
onSessionEnd(() => {
  for (const [whose, store] of stores) {
    if (whose === null) continue;
    store.stop();
    stores.delete(whose);
  }
});

/**
 * The messages of the current customer, with those that the last conversation left unsent: nothing is lost by looking at
 * another page.
 */
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

/** Files go up one after another: beside each other on a slow line, none would arrive. */
let line: Promise<unknown> = Promise.resolve();

/** How many files are on their way up or wait for it. */
let underWay = 0;

/** The browser asks for confirmation before leaving, in words of its own. */
const askFirst = (event: BeforeUnloadEvent): void => event.preventDefault();

function inLine<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  underWay += 1;
  addEventListener('beforeunload', askFirst);
  const mine = line
    .then(() => {
      // Taken away while it waited.
      signal.throwIfAborted();
      return work();
    })
    .finally(() => {
      underWay -= 1;
      if (underWay === 0) removeEventListener('beforeunload', askFirst);
    });
  line = mine.catch(() => undefined);
  return mine;
}

/** Sends a file with words, which may be none. It is shown from this browser until the server has it. */
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
