import { CHAT_HISTORY_MAX, CHAT_PAGE_SIZE, CHAT_RECONNECT_MS } from '@krapao/contract/constants';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { onReconnect } from '../../shell/connection.ts';
import { call } from '../../api/call.ts';
import { ApiFailure, logFailure } from '../../api/errors.ts';
import { i18n } from '../../i18n/i18n.ts';
import { toast, TOAST_MS } from '../../ui/core/toast.tsx';
import { connectBackendSocket, type ChatSocket, type ConnectionState, connectChatSocket } from './sockets.ts';
import { randomId } from '../../api/random-id.ts';
import { openChatSession, type ChatAdmission, type Customer, isForeignIdentity } from './customer.ts';
import { sendFailureText } from './attachment.ts';
import { afterLastGap, hasNoGap, messageKey, merge, type Messages, newReplies, renewed } from './messages.ts';
import { type Outgoing, outgoingBy } from './outbox.ts';

export type ConversationState = {
  phase: 'opening' | 'open' | 'failed';
  failure: unknown;
  messages: Messages;
  /** Whether older messages exist. */
  older: 'none' | 'some' | 'loading' | 'failed';
  line: ConnectionState;
  /** Number of unread replies. */
  unread: number;
  /** Support is typing. */
  isTyping: boolean;
  /** Current error, as text. */
  alert: string | undefined;
};

const initial: ConversationState = {
  phase: 'opening',
  failure: undefined,
  messages: [],
  older: 'none',
  line: 'opening',
  unread: 0,
  isTyping: false,
  alert: undefined,
};

/** Fields of a message that the app does not read. */
const UNREAD_FIELDS = {
  userId: '',
  guestId: '',
  username: '',
  name: '',
  deviceToken: '',
  clientId: '',
  session_id: '',
};

/** How long "typing" is shown after its last event. */
const TYPING_MS = 6_000;

/** Most pages requested to fill a gap; older messages behind it are loaded on demand. */
const REFILL_PAGES_MAX = 5;

/** Loaded messages of both sides; new ones arrive by the socket. Starts immediately, ends with `stop`. */
export class Conversation {
  readonly outgoing = outgoingBy({
    authorization: () => this.arrival?.customer.authorization,
    post: (message) => this.post(message),
    onFailure: (failure) => (this.isLeft ? toast.danger(i18n.t('chat:unsent')) : this.say(sendFailureText(failure))),
  });
  private readonly session = randomId();
  /** No view shows it any more. */
  private isLeft = false;
  private readonly listeners = new Set<() => void>();
  private state = initial;
  private arrival: ChatAdmission | undefined;
  private line: ChatSocket | undefined;
  private closeBackend = (): void => undefined;
  private typingTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly unsubscribe: () => void;
  /** Settles when the latest start has opened the conversation or failed. */
  private beginning = Promise.resolve();
  /** Increments with each start: replies to earlier requests are stale. */
  private turn = 0;
  private alertTimer: ReturnType<typeof setTimeout> | undefined;
  private refillTimer: ReturnType<typeof setTimeout> | undefined;
  private refilling = Promise.resolve();
  /** Another refill is queued. */
  private isRefillDue = false;

  constructor() {
    document.addEventListener('visibilitychange', this.onVisible);
    this.unsubscribe = onReconnect(this.onReconnect);
    addEventListener('beforeunload', this.onUnload);
    void this.begin();
  }

  readonly current = (): ConversationState => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Shows an error for four seconds. */
  readonly say = (alert: string): void => {
    clearTimeout(this.alertTimer);
    this.set({ alert });
    this.alertTimer = setTimeout(() => this.set({ alert: undefined }), TOAST_MS);
  };

  /** Reloads a message and its neighbours, because the URLs of their files have expired. */
  readonly renew = async (key: string): Promise<void> => {
    const { messages } = this.state;
    const [target, newest] = [messages.find((message) => messageKey(message) === key), messages.at(-1)];
    if (!target || !newest) return;
    const turn = this.turn;
    const page = await this.ask(newest.sequence - target.sequence);
    if (turn === this.turn) this.set({ messages: renewed(this.state.messages, page) });
  };

  /** Opens it again after a failure. */
  readonly retry = (): void => void this.begin();

  readonly loadOlder = (): void => void this.askForOlder();

  /** Marks all loaded messages as read. */
  readonly read = (): void => void this.tellRead();

  /**
   * Ends it. Messages in flight continue while their sender is the current customer; failed ones wait for the next
   * conversation.
   */
  stop(): void {
    this.turn += 1;
    this.hangUp();
    this.isLeft = true;
    clearTimeout(this.alertTimer);
    document.removeEventListener('visibilitychange', this.onVisible);
    this.unsubscribe();
    removeEventListener('beforeunload', this.onUnload);
  }

  private readonly onVisible = (): void => {
    if (document.visibilityState === 'visible') this.refill();
  };

  /** Unsent messages are lost with the page: the browser asks for confirmation. */
  private readonly onUnload = (event: BeforeUnloadEvent): void => {
    if (this.outgoing.current().length > 0) event.preventDefault();
  };

  private readonly onReconnect = (): void => {
    if (this.state.phase === 'failed') void this.begin();
    else this.line?.renew();
  };

  private readonly onLine = (line: ConnectionState): void => {
    // Loading the history reveals the reason of a refusal: another conversation, or an ended session.
    if (line === 'joined' || line === 'refused') this.refill();
    if (line === 'joined') this.outgoing.retryUnanswered();
    if (line !== this.state.line) this.set({ line });
  };

  private readonly onTyping = (): void => {
    clearTimeout(this.typingTimer);
    this.set({ isTyping: true });
    this.typingTimer = setTimeout(() => this.set({ isTyping: false }), TYPING_MS);
  };

  private hangUp(): void {
    this.line?.close();
    this.closeBackend();
    clearTimeout(this.refillTimer);
    clearTimeout(this.typingTimer);
  }

  private set(changes: Partial<ConversationState>): void {
    this.state = { ...this.state, ...changes };
    for (const listener of this.listeners) listener();
  }

  private begin(): Promise<void> {
    this.beginning = this.enter();
    return this.beginning;
  }

  private async enter(): Promise<void> {
    const turn = ++this.turn;
    this.hangUp();
    this.arrival = undefined;
    this.set({ ...initial, alert: this.state.alert });
    try {
      const arrival = await openChatSession();
      if (turn !== this.turn) return;
      this.arrival = arrival;
      const page = await this.ask(0, CHAT_PAGE_SIZE);
      if (turn !== this.turn) return;
      this.set({ phase: 'open', messages: merge([], page), older: isMore(page), unread: arrival.config.unread });
      // Messages before the join are loaded after it.
      this.line = connectChatSocket(arrival, { onState: this.onLine, onMessage: (message) => this.add([message]) });
      this.closeBackend = connectBackendSocket(arrival, { onTyping: this.onTyping, onMessage: this.refill });
    } catch (failure) {
      if (turn === this.turn) this.set({ phase: 'failed', failure });
    }
  }

  /** The customer has changed: restarts as the current one. */
  private async beginAgain(): Promise<void> {
    // A member's outgoing messages must not be sent by the next member; a visitor's new identity is the same person.
    if (!this.isVisitor()) this.outgoing.stop();
    await this.begin();
  }

  private isVisitor(): boolean {
    return this.arrival?.customer.authorization !== undefined;
  }

  private customer(): Customer {
    if (!this.arrival) throw new ApiFailure('no-answer', 0);
    return this.arrival.customer;
  }

  /** @returns newest first */
  private ask(skip: number, limit: number = CHAT_PAGE_SIZE): Promise<ChatMessage[]> {
    const { whose, authorization } = this.customer();
    return call('POST /api/chat/history', { body: { ...whose, skip, limit }, authorization, quiet: true });
  }

  private put(more: Messages): void {
    const { messages, unread } = this.state;
    const now = merge(messages, more);
    if (now === messages) return;
    const news = newReplies(messages, now);
    // The reply that was being typed has arrived.
    this.set({ messages: now, unread: unread + news, ...(news > 0 && { isTyping: false }) });
  }

  private add(more: Messages): void {
    this.put(more);
    if (!hasNoGap(this.state.messages)) this.refill();
  }

  /** Loads messages that were missed while disconnected. One request at a time; a call during one queues one more. */
  private readonly refill = (): void => {
    clearTimeout(this.refillTimer);
    if (this.isRefillDue) return;
    this.isRefillDue = true;
    this.refilling = this.refilling.then(() => {
      this.isRefillDue = false;
      return this.state.phase === 'open' ? this.fill(this.turn) : undefined;
    });
  };

  private async fill(turn: number): Promise<void> {
    const known = this.state.messages.at(-1)?.sequence ?? 0;
    try {
      let skip = 0;
      for (let pages = 0; pages < REFILL_PAGES_MAX; pages += 1) {
        const limit = pages === 0 ? CHAT_PAGE_SIZE : CHAT_HISTORY_MAX;
        const page = await this.ask(skip, limit);
        if (turn !== this.turn) return;
        this.put(page);
        skip += page.length;
        const reached = page.at(-1)?.sequence ?? 0;
        if (page.length < limit || (reached <= known + 1 && hasNoGap(this.state.messages))) return;
      }
      this.set({ messages: afterLastGap(this.state.messages), older: 'some' });
    } catch (failure) {
      if (turn !== this.turn) return;
      if (isForeignIdentity(failure)) return void this.beginAgain();
      logFailure('chat not brought up to date', failure);
      this.refillTimer = setTimeout(this.refill, CHAT_RECONNECT_MS);
    }
  }

  private async askForOlder(): Promise<void> {
    if (this.state.older !== 'some' && this.state.older !== 'failed') return;
    const turn = this.turn;
    this.set({ older: 'loading' });
    try {
      const page = await this.ask(this.state.messages.length);
      if (turn !== this.turn) return;
      const oldest = this.state.messages[0]?.sequence ?? 0;
      this.put(page);
      // Pages count from the end, which has moved: loads the newest first, then older ones.
      const isOffEnd = page.length > 0 && page.every(({ sequence }) => sequence >= oldest);
      if (isOffEnd) await this.fill(turn);
      if (turn === this.turn) this.set({ older: isOffEnd ? 'some' : isMore(page) });
    } catch (failure) {
      if (turn !== this.turn) return;
      if (isForeignIdentity(failure)) return void this.beginAgain();
      this.set({ older: 'failed' });
    }
  }

  /** Posts a message; an expired visitor sends it with a new identity. */
  private async post(message: Outgoing): Promise<void> {
    const turn = this.turn;
    const isVisitor = this.isVisitor();
    try {
      await this.postOnce(message);
    } catch (failure) {
      if (!isForeignIdentity(failure)) throw failure;
      // A concurrent call may have been refused first and restarted the conversation.
      await (turn === this.turn ? this.beginAgain() : this.beginning);
      if (!isVisitor) throw failure;
      await this.postOnce(message);
    }
  }

  private async postOnce({ clientId, message, startedAt: createdAt }: Outgoing): Promise<void> {
    const { whose, identity, authorization } = this.customer();
    const turn = this.turn;
    const stored = await call('POST /api/chat/send-message', {
      // Browsers receive no push messages here, so there is no device token.
      body: {
        ...whose,
        ...identity,
        deviceToken: '',
        sender: 'customer',
        message,
        createdAt,
        session_id: this.session,
      },
      idempotencyKey: clientId,
      authorization,
      quiet: true,
    });
    if (turn !== this.turn) return;
    this.add([
      {
        ...UNREAD_FIELDS,
        ...stored,
        ...whose,
        ...identity,
        sender: 'customer',
        message,
        clientId,
        session_id: this.session,
      },
    ]);
  }

  private async tellRead(): Promise<void> {
    const { unread } = this.state;
    if (unread === 0 || !this.arrival) return;
    const { whose, authorization } = this.arrival.customer;
    const turn = this.turn;
    try {
      await call('PUT /api/chat/read-customer/', { body: whose, authorization, quiet: true });
      if (turn === this.turn) this.set({ unread: Math.max(0, this.state.unread - unread) });
    } catch (failure) {
      // Repeated with the next message or visit.
      logFailure('chat not marked as read', failure);
    }
  }
}

const isMore = (page: readonly ChatMessage[]): 'some' | 'none' =>
  page.length === CHAT_PAGE_SIZE && page.at(-1)?.sequence !== 1 ? 'some' : 'none';
