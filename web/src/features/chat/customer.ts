import { STORAGE } from '@krapao/contract/constants';
import { call, randomId, type Transport } from '../../api/call.ts';
import { ApiFailure } from '../../api/errors.ts';
import { storedToken } from '../../api/session.ts';
import type { CallArguments, Reply } from '../../api/types.ts';
import { readStored, writeStored } from '../../browser/storage.ts';

/** Customer of a conversation, with the proof of identity. */
export type Customer = {
  /** The member's id or the visitor's guest id; with the prefix it is the name of the customer's room. */
  id: string;
  /** Authorization header of a visitor's calls. Undefined for a member, whose calls carry the session. */
  authorization: string | undefined;
  /** Proof required to join the socket room. */
  proof: { token: string } | { guestSecret: string };
  /** Ids for request bodies; the id that doesn't apply is ''. */
  requestIds: { userId: string; guestId: string };
  /** Display name sent with each message. For a member the server uses its own records. */
  identity: { username: string; name: string };
};

export type ChatConfig = Reply<'GET /api/chat/config'>;

/** A customer and the configuration that the server returned for the customer. */
export type ChatAdmission = { customer: Customer; config: ChatConfig };

/** Whether the caller is not, or no longer, the owner of the conversation. */
export const isForeignIdentity = (failure: unknown): boolean =>
  failure instanceof ApiFailure &&
  (failure.message === 'INVALID_USER_3' || (failure.message === 'KEY_INVALID' && failure.detail === 'GUEST'));

/** Opens the chat as the current member, else as this browser's visitor. Creates a visitor if there is none. */
export const openChatSession = (): Promise<ChatAdmission> => {
  const token = storedToken();
  return token ? openMemberChat(token) : withVisitorLock(openVisitorChat);
};

/** Whether replies may be waiting: there is a session, or this browser has a stored visitor. */
export const hasChatted = (): boolean => storedToken() !== null || storedVisitor() !== undefined;

async function openMemberChat(token: string): Promise<ChatAdmission> {
  const [{ profile }, config] = await Promise.all([
    call('GET /api/account/profile', { quiet: true }),
    call('GET /api/chat/config', { quiet: true }),
  ]);
  const { _id: id, username, name } = profile;
  const identity = { username, name };
  return {
    customer: { id, authorization: undefined, proof: { token }, requestIds: { userId: id, guestId: '' }, identity },
    config,
  };
}

type Visitor = { id: string; secret: string };
/** Visitor of this page; used if storage is unavailable. */
let memoryVisitor: Visitor | undefined;

function storedVisitor(): Visitor | undefined {
  const [id, secret] = [readStored(STORAGE.guestId), readStored(STORAGE.guestSecret)];
  return id && secret ? { id, secret } : memoryVisitor;
}

function storeVisitor(visitor: Visitor | undefined): void {
  memoryVisitor = visitor;
  writeStored(STORAGE.guestId, visitor?.id ?? null);
  writeStored(STORAGE.guestSecret, visitor?.secret ?? null);
}

/**
 * Serialises work across windows, so that two windows don't each create a visitor. The second window uses the visitor
 * of the first.
 */
const withVisitorLock = <T>(callback: () => Promise<T>): Promise<T> =>
  // The Locks API is unavailable on plain http.
  navigator.locks ? navigator.locks.request(STORAGE.guestId, callback) : callback();

/** Opens the chat as the stored visitor. Creates a new visitor if the secret is missing or unknown to the server. */
async function openVisitorChat(): Promise<ChatAdmission> {
  const visitor = storedVisitor();
  if (visitor) {
    try {
      return await openChatOf(visitor);
    } catch (failure) {
      if (!isForeignIdentity(failure)) throw failure;
    }
  }
  return createVisitor();
}

async function openChatOf(visitor: Visitor): Promise<ChatAdmission> {
  const customer = customerOf(visitor);
  const config = await call('GET /api/chat/config', { quiet: true, authorization: customer.authorization });
  return { customer, config };
}

async function createVisitor(): Promise<ChatAdmission> {
  const id = randomId();
  storeVisitor(undefined);
  const config = await call('GET /api/chat/config', { quiet: true, authorization: `Guest ${id}` });
  if (!config.guestSecret) throw new ApiFailure('KEY_INVALID', 403, { detail: 'GUEST' });
  const visitor = { id, secret: config.guestSecret };
  storeVisitor(visitor);
  return { customer: customerOf(visitor), config };
}

const customerOf = ({ id, secret }: Visitor): Customer => ({
  id,
  authorization: `Guest ${id}.${secret}`,
  proof: { guestSecret: secret },
  requestIds: { userId: '', guestId: id },
  identity: { username: '', name: '' },
});

/** Sends a request that the browser completes after the page was left. */
const leavingTransport: Transport = async (method, path, headers, body, signal) => {
  const response = await fetch(path, { method, headers, body, signal, keepalive: true });
  const { ok, status } = response;
  return { ok, status, date: response.headers.get('date'), text: await response.text() };
};

/** Marks all messages of the conversation as read, also while the page is being left. */
export async function markChatRead({ requestIds, authorization }: Customer): Promise<void> {
  const options = { body: requestIds, authorization, quiet: true, transport: leavingTransport };
  await call(
    'PUT /api/chat/read-customer/',
    ...([options] as unknown as CallArguments<'PUT /api/chat/read-customer/'>),
  );
}
