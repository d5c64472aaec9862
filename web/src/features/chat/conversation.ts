import { CHAT_HISTORY_MAX, CHAT_PAGE_SIZE, CHAT_RECONNECT_MS } from '@krapao/contract/constants';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { call, randomId } from '../../api/call.ts';
import { ApiFailure, logFailure } from '../../api/errors.ts';
import { onReconnect } from '../../browser/connection.ts';
import { createListeners } from '../../browser/listeners.ts';
import { i18n } from '../../i18n/i18n.ts';
import { toast, TOAST_MS } from '../../ui/core/toast.tsx';
import { sendFailureText } from './attachment.ts';
import { openChatSession, type ChatAdmission, type Customer, isForeignIdentity, markChatRead } from './customer.ts';
import {
  afterLastGap,
  hasNoGap,
  messageKey,
  mergeMessages,
  type Messages,
  countNewReplies,
  withFreshUrls,
} from './messages.ts';
import { type OutgoingMessage, outboxFor } from './outbox.ts';
import { connectBackendSocket, type ChatSocket, type ConnectionState, connectChatSocket } from './sockets.ts';

export type ConversationState = {
  phase: 'opening' | 'open' | 'failed';
  failure: unknown;
  messages: Messages;
  /** Whether older messages exist. */
  olderState: 'none' | 'some' | 'loading' | 'failed';
  connection: ConnectionState;
  /** Number of unread replies. */
  unreadCount: number;
  /** Whether support is typing. */
  isTyping: boolean;
  /** Text of the current error. */
  alertText: string | undefined;
};

const initialState: ConversationState = {
  phase: 'opening',
  failure: undefined,
  messages: [],
  olderState: 'none',
  connection: 'opening',
  unreadCount: 0,
  isTyping: false,
  alertText: undefined,
};

/** Values for required message fields that the app does not use. */
const UNUSED_MESSAGE_FIELDS = {
  userId: '',
  guestId: '',
  username: '',
  name: '',
  deviceToken: '',
  clientId: '',
  session_id: '',
};

/** Display time in ms of "typing" after the last typing event. */
const TYPING_SHOWN_MS = 6_000;

/** Maximum number of pages loaded to fill a gap. Messages before a remaining gap load on demand. */
const REFILL_PAGES_MAX = 5;

/**
 * A conversation with its loaded messages; the socket delivers new ones. Starts on construction and ends with `stop`.
 */
export class Conversation {
  readonly outgoing = outboxFor({
    authorization: () => this.admission?.customer.authorization,
    post: (message) => this.post(message),
    onFailure: (failure) =>
      this.isStopped ? toast.danger(i18n.t('chat:unsent')) : this.showAlert(sendFailureText(failure)),
  });
  private readonly session = randomId();
  /** Whether `stop` was called, after which no view shows the conversation. */
  private isStopped = false;
  private readonly changes = createListeners();
  private state = initialState;
  private admission: ChatAdmission | undefined;
  private socket: ChatSocket | undefined;
  private closeBackend = (): void => undefined;
  private typingTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly unsubscribe: () => void;
  /** Resolves when the latest start has opened the conversation or failed. */
  private opening = Promise.resolve();
  /** Number of starts. A reply to a request of an earlier start is ignored. */
  private startCount = 0;
  private alertTimer: ReturnType<typeof setTimeout> | undefined;
  private refillTimer: ReturnType<typeof setTimeout> | undefined;
  private refillQueue = Promise.resolve();
  /** Whether another refill is queued. */
  private isRefillDue = false;

  constructor() {
    document.addEventListener('visibilitychange', this.onVisible);
    this.unsubscribe = onReconnect(this.onReconnect);
    addEventListener('beforeunload', this.onUnload);
    void this.open();
  }

  readonly current = (): ConversationState => this.state;

  readonly subscribe = this.changes.subscribe;

  /** Shows an error for four seconds. */
  readonly showAlert = (alertText: string): void => {
    clearTimeout(this.alertTimer);
    this.setState({ alertText });
    this.alertTimer = setTimeout(() => this.setState({ alertText: undefined }), TOAST_MS);
  };

  /** Reloads a message and its neighbours after the URLs of their files have expired. */
  readonly reloadMessage = async (key: string): Promise<void> => {
    const { messages } = this.state;
    const [targetMessage, newestMessage] = [messages.find((message) => messageKey(message) === key), messages.at(-1)];
    if (!targetMessage || !newestMessage) return;
    const startCount = this.startCount;
    const page = await this.requestPage(newestMessage.sequence - targetMessage.sequence);
    if (startCount === this.startCount) this.setState({ messages: withFreshUrls(this.state.messages, page) });
  };

  /** Reopens the conversation after a failure. */
  readonly retry = (): void => void this.open();

  readonly loadOlder = (): void => void this.requestOlder();

  /** Marks all loaded messages as read on the server. */
  readonly markRead = (): void => void this.sendRead();

  /**
   * Ends the conversation. Messages in flight continue while their sender is the current customer. Failed messages are
   * kept for the next conversation.
   */
  stop(): void {
    this.startCount += 1;
    this.closeSockets();
    this.isStopped = true;
    clearTimeout(this.alertTimer);
    document.removeEventListener('visibilitychange', this.onVisible);
    this.unsubscribe();
    removeEventListener('beforeunload', this.onUnload);
  }

  private readonly onVisible = (): void => {
    if (document.visibilityState === 'visible') this.scheduleRefill();
  };

  /** Leaving the page loses unsent messages, so the browser asks for confirmation. */
  private readonly onUnload = (event: BeforeUnloadEvent): void => {
    if (this.outgoing.current().length > 0) event.preventDefault();
  };

  private readonly onReconnect = (): void => {
    if (this.state.phase === 'failed') void this.open();
    else this.socket?.reconnect();
  };

  private readonly onConnectionState = (connection: ConnectionState): void => {
    // After a refused join, loading the history reveals the reason: a foreign conversation or an ended session.
    if (connection === 'joined' || connection === 'refused') this.scheduleRefill();
    if (connection === 'joined') this.outgoing.retryWithoutReply();
    if (connection !== this.state.connection) this.setState({ connection });
  };

  private readonly onTyping = (): void => {
    clearTimeout(this.typingTimer);
    this.setState({ isTyping: true });
    this.typingTimer = setTimeout(() => this.setState({ isTyping: false }), TYPING_SHOWN_MS);
  };

  private closeSockets(): void {
    this.socket?.close();
    this.closeBackend();
    clearTimeout(this.refillTimer);
    clearTimeout(this.typingTimer);
  }

  private setState(changes: Partial<ConversationState>): void {
    this.state = { ...this.state, ...changes };
    this.changes.notify();
  }

  private open(): Promise<void> {
    this.opening = this.tryOpen();
    return this.opening;
  }

  private async tryOpen(): Promise<void> {
    const startCount = ++this.startCount;
    this.closeSockets();
    this.admission = undefined;
    this.setState({ ...initialState, alertText: this.state.alertText });
    try {
      const admission = await openChatSession();
      if (startCount !== this.startCount) return;
      this.admission = admission;
      const page = await this.requestPage(0, CHAT_PAGE_SIZE);
      if (startCount !== this.startCount) return;
      this.setState({
        phase: 'open',
        messages: mergeMessages([], page),
        olderState: olderStateOf(page),
        unreadCount: admission.config.unread,
      });
      // Messages stored before the socket joins are loaded after the join.
      this.socket = connectChatSocket(admission, {
        onState: this.onConnectionState,
        onMessage: (message) => this.addMessages([message]),
      });
      this.closeBackend = connectBackendSocket(admission, { onTyping: this.onTyping, onMessage: this.scheduleRefill });
    } catch (failure) {
      if (startCount === this.startCount) this.setState({ phase: 'failed', failure });
    }
  }

  /** Reopens the conversation as the current customer after the customer has changed. */
  private async reopen(): Promise<void> {
    // The next member must not send the outgoing messages of the previous member. A visitor with a new identity is the
    // same person.
    if (!this.isVisitor()) this.outgoing.stop();
    await this.open();
  }

  private isVisitor(): boolean {
    return this.admission?.customer.authorization !== undefined;
  }

  private customer(): Customer {
    if (!this.admission) throw new ApiFailure('no-answer', 0);
    return this.admission.customer;
  }

  /** Requests a page of messages. @returns newest first */
  private requestPage(skip: number, limit: number = CHAT_PAGE_SIZE): Promise<ChatMessage[]> {
    const { requestIds, authorization } = this.customer();
    return call('POST /api/chat/history', { body: { ...requestIds, skip, limit }, authorization, quiet: true });
  }

  private applyMessages(newMessages: Messages): void {
    const { messages, unreadCount } = this.state;
    const mergedMessages = mergeMessages(messages, newMessages);
    if (mergedMessages === messages) return;
    const newReplyCount = countNewReplies(messages, mergedMessages);
    // A new reply ends the display of "typing".
    this.setState({
      messages: mergedMessages,
      unreadCount: unreadCount + newReplyCount,
      ...(newReplyCount > 0 && { isTyping: false }),
    });
  }

  private addMessages(newMessages: Messages): void {
    this.applyMessages(newMessages);
    if (!hasNoGap(this.state.messages)) this.scheduleRefill();
  }

  /** Loads messages missed while disconnected. One request at a time; a call during a request queues another one. */
  private readonly scheduleRefill = (): void => {
    clearTimeout(this.refillTimer);
    if (this.isRefillDue) return;
    this.isRefillDue = true;
    this.refillQueue = this.refillQueue.then(() => {
      this.isRefillDue = false;
      return this.state.phase === 'open' ? this.fillGap(this.startCount) : undefined;
    });
  };

  private async fillGap(startCount: number): Promise<void> {
    const lastSequence = this.state.messages.at(-1)?.sequence ?? 0;
    try {
      let skip = 0;
      for (let pageIndex = 0; pageIndex < REFILL_PAGES_MAX; pageIndex += 1) {
        const limit = pageIndex === 0 ? CHAT_PAGE_SIZE : CHAT_HISTORY_MAX;
        const page = await this.requestPage(skip, limit);
        if (startCount !== this.startCount) return;
        this.applyMessages(page);
        skip += page.length;
        const oldestSequence = page.at(-1)?.sequence ?? 0;
        if (page.length < limit || (oldestSequence <= lastSequence + 1 && hasNoGap(this.state.messages))) return;
      }
      this.setState({ messages: afterLastGap(this.state.messages), olderState: 'some' });
    } catch (failure) {
      if (startCount !== this.startCount) return;
      if (isForeignIdentity(failure)) return void this.reopen();
      logFailure('chat not brought up to date', failure);
      this.refillTimer = setTimeout(this.scheduleRefill, CHAT_RECONNECT_MS);
    }
  }

  private async requestOlder(): Promise<void> {
    if (this.state.olderState !== 'some' && this.state.olderState !== 'failed') return;
    const startCount = this.startCount;
    this.setState({ olderState: 'loading' });
    try {
      const page = await this.requestPage(this.state.messages.length);
      if (startCount !== this.startCount) return;
      const oldestSequence = this.state.messages[0]?.sequence ?? 0;
      this.applyMessages(page);
      // The end of the list has moved since, so the page contains only known messages: loads the newest messages first.
      const hasMovedEnd = page.length > 0 && page.every(({ sequence }) => sequence >= oldestSequence);
      if (hasMovedEnd) await this.fillGap(startCount);
      if (startCount === this.startCount) this.setState({ olderState: hasMovedEnd ? 'some' : olderStateOf(page) });
    } catch (failure) {
      if (startCount !== this.startCount) return;
      if (isForeignIdentity(failure)) return void this.reopen();
      this.setState({ olderState: 'failed' });
    }
  }

  /** Posts a message. If the visitor's identity has expired, posts it with a new identity. */
  private async post(message: OutgoingMessage): Promise<void> {
    const startCount = this.startCount;
    const isVisitor = this.isVisitor();
    try {
      await this.postOnce(message);
    } catch (failure) {
      if (!isForeignIdentity(failure)) throw failure;
      // If a concurrent call has already reopened the conversation, waits until it is open.
      await (startCount === this.startCount ? this.reopen() : this.opening);
      if (!isVisitor) throw failure;
      await this.postOnce(message);
    }
  }

  private async postOnce({ clientId, message, reference, startedAt: createdAt }: OutgoingMessage): Promise<void> {
    const { requestIds, identity, authorization } = this.customer();
    const startCount = this.startCount;
    const stored = await call('POST /api/chat/send-message', {
      // The web app has no push messages, so there is no device token.
      body: {
        ...requestIds,
        ...identity,
        deviceToken: '',
        sender: 'customer',
        message,
        ...(reference !== undefined && { reference }),
        createdAt,
        session_id: this.session,
      },
      idempotencyKey: clientId,
      authorization,
      quiet: true,
    });
    if (startCount !== this.startCount) return;
    this.addMessages([
      {
        ...UNUSED_MESSAGE_FIELDS,
        ...stored,
        ...requestIds,
        ...identity,
        sender: 'customer',
        message,
        clientId,
        session_id: this.session,
        reference: reference ?? null,
      },
    ]);
  }

  private async sendRead(): Promise<void> {
    const { unreadCount } = this.state;
    if (unreadCount === 0 || !this.admission) return;
    const startCount = this.startCount;
    try {
      await markChatRead(this.admission.customer);
      if (startCount === this.startCount)
        this.setState({ unreadCount: Math.max(0, this.state.unreadCount - unreadCount) });
    } catch (failure) {
      // Marking as read is repeated with the next message or visit.
      logFailure('chat not marked as read', failure);
    }
  }
}

const olderStateOf = (page: readonly ChatMessage[]): 'some' | 'none' =>
  page.length === CHAT_PAGE_SIZE && page.at(-1)?.sequence !== 1 ? 'some' : 'none';
