import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import type { ImageFormat } from '@krapao/contract/input/image';
import { serverNow, randomId } from '../../api/call.ts';
import { logFailure, isUndecided, wasNotSent } from '../../api/errors.ts';
import { onSessionEnd, storedToken } from '../../api/session.ts';
import { upload } from '../../api/upload.ts';
import { createListeners } from '../../browser/listeners.ts';
import { prepareImage } from '../../shared/image-file.ts';
import { isFileGone, type Attachment } from './attachment.ts';

/** Delivery state of an outgoing message. */
export type DeliveryState = 'uploading_file' | 'sending' | 'failed' | 'succeed';

/** A message that is being sent or has failed. */
export type OutgoingMessage = {
  /** Id of the message and its idempotency key: resending stores the message once. */
  clientId: string;
  message: CustomerMessage;
  /** Key of the movement of money that the message is about. */
  reference: string | undefined;
  state: DeliveryState;
  /** Share of its file that was uploaded, 0 to 1. */
  progress: number;
  /** Time as ISO text. */
  startedAt: string;
};

/**
 * Prepares a message before it is sent: uploads its file.
 * @returns the message to send
 */
export type PrepareMessage = (options: {
  signal: AbortSignal;
  onProgress: (share: number) => void;
  /** Authorization header of the customer's calls. */
  authorization: string | undefined;
}) => Promise<CustomerMessage>;

/** Sends a message, which appears in the conversation immediately. @param reference of the movement that it is about */
export type SendMessage = (message: CustomerMessage, prepare?: PrepareMessage, reference?: string) => void;

/** Functions by which an outbox sends messages. */
export type MessageTransport = {
  authorization: () => string | undefined;
  /** Posts a message; resolves when the server has stored it. */
  post: (outgoing: OutgoingMessage) => Promise<void>;
  /** Called when a message has failed. */
  onFailure: (failure: unknown) => void;
};

type OutboxEntry = {
  displayed: OutgoingMessage;
  prepare: PrepareMessage | undefined;
  /** Whether its file has been uploaded; true if there is no file. */
  isPrepared: boolean;
  abortController: AbortController;
  /** Whether the last attempt failed without a reply, not by a refusal. */
  hadNoReply: boolean;
};

/** Outgoing messages of one conversation in the order in which they were written. */
export class Outbox {
  private transport: MessageTransport;
  private entries: readonly OutboxEntry[] = [];
  private displayed: readonly OutgoingMessage[] = [];
  /** Posts messages one after another to keep their order; uploads run concurrently with posts. */
  private postQueue = Promise.resolve();
  private readonly changes = createListeners();

  constructor(transport: MessageTransport) {
    this.transport = transport;
  }

  /** Replaces the transport for all later messages. */
  setTransport(transport: MessageTransport): void {
    this.transport = transport;
  }

  readonly current = (): readonly OutgoingMessage[] => this.displayed;

  readonly subscribe = this.changes.subscribe;

  readonly send: SendMessage = (message, prepare, reference) => {
    const entry: OutboxEntry = {
      displayed: {
        clientId: randomId(),
        message,
        reference,
        state: prepare ? 'uploading_file' : 'sending',
        progress: 0,
        startedAt: new Date(serverNow()).toISOString(),
      },
      prepare,
      isPrepared: prepare === undefined,
      abortController: new AbortController(),
      hadNoReply: false,
    };
    this.setEntries([...this.entries, entry]);
    void this.deliver(entry);
  };

  /** Resends a failed message. */
  retry(clientId: string): void {
    const entry = this.find(clientId);
    if (entry?.displayed.state === 'failed') void this.deliver(entry);
  }

  /** After a reconnection, resends messages whose attempt had no reply. */
  retryWithoutReply(): void {
    for (const { displayed, hadNoReply } of this.entries) if (hadNoReply) this.retry(displayed.clientId);
  }

  /** Removes a message that failed or is still uploading. */
  remove(clientId: string): void {
    const entry = this.find(clientId);
    if (!entry || entry.displayed.state === 'sending') return;
    this.setEntries(this.entries.filter((listedEntry) => listedEntry !== entry));
    entry.abortController.abort();
  }

  /** Aborts all uploads and removes all messages. */
  stop(): void {
    for (const { abortController } of this.entries) abortController.abort();
    this.setEntries([]);
  }

  private find(clientId: string): OutboxEntry | undefined {
    return this.entries.find((entry) => entry.displayed.clientId === clientId);
  }

  private setEntries(entries: readonly OutboxEntry[]): void {
    this.entries = entries;
    this.displayed = entries.map((entry) => entry.displayed);
    this.changes.notify();
  }

  private updateEntry(entry: OutboxEntry, changes: Partial<OutgoingMessage>): void {
    entry.displayed = { ...entry.displayed, ...changes };
    if (this.entries.includes(entry)) this.setEntries([...this.entries]);
  }

  private async deliver(entry: OutboxEntry): Promise<void> {
    entry.hadNoReply = false;
    try {
      if (entry.prepare && !entry.isPrepared) await this.prepare(entry, entry.prepare);
      this.updateEntry(entry, { state: 'sending' });
      const posted = this.postQueue.then(() =>
        this.entries.includes(entry) ? this.transport.post(entry.displayed) : undefined,
      );
      this.postQueue = posted.catch(() => undefined);
      await posted;
      this.setEntries(this.entries.filter((listedEntry) => listedEntry !== entry));
    } catch (failure) {
      if (!this.entries.includes(entry)) return;
      logFailure('chat message not sent', failure);
      entry.hadNoReply = isUndecided(failure) || wasNotSent(failure);
      if (isFileGone(failure)) entry.isPrepared = false;
      this.updateEntry(entry, { state: 'failed' });
      this.transport.onFailure(failure);
    }
  }

  private async prepare(entry: OutboxEntry, prepare: PrepareMessage): Promise<void> {
    this.updateEntry(entry, { state: 'uploading_file', progress: 0 });
    const message = await prepare({
      signal: entry.abortController.signal,
      onProgress: (progress) => this.updateEntry(entry, { progress }),
      authorization: this.transport.authorization(),
    });
    // A completed upload is not repeated when the message is resent.
    entry.isPrepared = true;
    this.updateEntry(entry, { message, progress: 1 });
  }
}

/** Outboxes by session token: of the visitor (null) and of the current member. */
const outboxesByToken = new Map<string | null, Outbox>();

/** At the end of the session, members' unsent messages are deleted. */
onSessionEnd(() => {
  for (const [ownerToken, outbox] of outboxesByToken) {
    if (ownerToken === null) continue;
    outbox.stop();
    outboxesByToken.delete(ownerToken);
  }
});

/** Returns the outbox of the current customer, with messages that an earlier conversation has not sent. */
export function outboxFor(transport: MessageTransport): Outbox {
  const ownerToken = storedToken();
  const existingOutbox = outboxesByToken.get(ownerToken);
  if (existingOutbox) {
    existingOutbox.setTransport(transport);
    return existingOutbox;
  }
  const outbox = new Outbox(transport);
  outboxesByToken.set(ownerToken, outbox);
  return outbox;
}

const CHAT_IMAGE_LIMITS: { types: readonly ImageFormat[]; bytesMax: number } = {
  types: ['png', 'jpg', 'gif', 'webp'],
  bytesMax: CHAT_FILE_BYTES_MAX.image,
};

/** Queue of uploads. On a slow connection, concurrent uploads would not finish. */
let uploadQueue: Promise<unknown> = Promise.resolve();

/** Number of queued and running uploads. */
let pendingUploads = 0;

/** Makes the browser ask for confirmation before leaving the page. */
const confirmLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

function queueUpload<T>(signal: AbortSignal, uploadFile: () => Promise<T>): Promise<T> {
  pendingUploads += 1;
  addEventListener('beforeunload', confirmLeaving);
  const result = uploadQueue
    .then(() => {
      // Stops if the message was removed while its upload was queued.
      signal.throwIfAborted();
      return uploadFile();
    })
    .finally(() => {
      pendingUploads -= 1;
      if (pendingUploads === 0) removeEventListener('beforeunload', confirmLeaving);
    });
  uploadQueue = result.catch(() => undefined);
  return result;
}

/** Sends a file with an optional text. The local file is displayed until the server has stored it. */
export function sendMedia(send: SendMessage, { file, kind, objectUrl }: Attachment, text: string): void {
  const messageOf = (filePath: string): CustomerMessage => ({
    message_type: 'media',
    payload: { message: text, url: objectUrl, fileType: kind, filePath },
  });
  const prepare: PrepareMessage = ({ signal, onProgress, authorization }) => {
    signal.addEventListener('abort', () => URL.revokeObjectURL(objectUrl), { once: true });
    return queueUpload(signal, async () => {
      // An image that this browser can't decode is sent unchanged, and the server reports errors.
      const preparedFile = kind === 'image' ? await prepareImage(file, CHAT_IMAGE_LIMITS).catch(() => file) : file;
      const { path } = await upload(`POST /api/chat/upload-${kind}`, preparedFile, {
        signal,
        onProgress,
        ...(authorization && { authorization }),
      });
      return messageOf(path);
    });
  };
  send(messageOf(''), prepare);
}
