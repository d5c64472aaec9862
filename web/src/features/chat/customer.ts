import { STORAGE } from '@krapao/contract/constants';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { ApiFailure } from '../../api/errors.ts';
import { storedToken } from '../../api/session.ts';
import { randomId } from '../../api/random-id.ts';
import { readStored, writeStored } from '../../shell/storage.ts';

/** The customer of a conversation and the proof of identity. */
export type Customer = {
  /** The member's id or the visitor's guest-id: with the prefix, their room. */
  id: string;
  /** Authorization header of a visitor's calls; a member's calls carry the session. */
  authorization: string | undefined;
  /** Joins the room of the socket. */
  proof: { token: string } | { guestSecret: string };
  /** Ids for request bodies; the other id is ''. */
  whose: { userId: string; guestId: string };
  /** Display name, sent with each message; for a member the server uses its own records. */
  identity: { username: string; name: string };
};

export type ChatConfig = Reply<'GET /api/chat/config'>;

/** A customer and the configuration that the server returned. */
export type ChatAdmission = { customer: Customer; config: ChatConfig };

/** Whether the caller is not, or no longer, the owner of the conversation. */
export const isForeignIdentity = (failure: unknown): boolean =>
  failure instanceof ApiFailure &&
  (failure.message === 'INVALID_USER_3' || (failure.message === 'KEY_INVALID' && failure.detail === 'GUEST'));

/** The current member, else this browser's visitor, who is created if missing. */
export const openChatSession = (): Promise<ChatAdmission> => {
  const token = storedToken();
  return token ? arriveAsMember(token) : oneAtATime(arriveAsVisitor);
};

/** Whether this browser has used the chat before, so that replies may be waiting. */
export const hasChatted = (): boolean => storedToken() !== null || known() !== undefined;

async function arriveAsMember(token: string): Promise<ChatAdmission> {
  const [{ profile }, config] = await Promise.all([
    call('GET /api/account/profile', { quiet: true }),
    call('GET /api/chat/config', { quiet: true }),
  ]);
  const { _id: id, username, name } = profile;
  const identity = { username, name };
  return {
    customer: { id, authorization: undefined, proof: { token }, whose: { userId: id, guestId: '' }, identity },
    config,
  };
}

type Visitor = { id: string; secret: string };
/** Without storage, a visitor lasts as long as the page. */
let held: Visitor | undefined;

function known(): Visitor | undefined {
  const [id, secret] = [readStored(STORAGE.guestId), readStored(STORAGE.guestSecret)];
  return id && secret ? { id, secret } : held;
}

function keep(visitor: Visitor | undefined): void {
  held = visitor;
  writeStored(STORAGE.guestId, visitor?.id ?? null);
  writeStored(STORAGE.guestSecret, visitor?.secret ?? null);
}

/** Two windows that open concurrently must not each create a visitor: the second one uses the first one's. */
const oneAtATime = <T>(work: () => Promise<T>): Promise<T> =>
  // Missing on pages served over plain http.
  navigator.locks ? navigator.locks.request(STORAGE.guestId, work) : work();

/** A lost or unknown secret can't be recovered: a new visitor is created. */
async function arriveAsVisitor(): Promise<ChatAdmission> {
  const visitor = known();
  if (visitor) {
    try {
      return await enter(visitor);
    } catch (failure) {
      if (!isForeignIdentity(failure)) throw failure;
    }
  }
  return begin();
}

async function enter(visitor: Visitor): Promise<ChatAdmission> {
  const customer = customerOf(visitor);
  const config = await call('GET /api/chat/config', { quiet: true, authorization: customer.authorization });
  return { customer, config };
}

async function begin(): Promise<ChatAdmission> {
  const id = randomId();
  keep(undefined);
  const config = await call('GET /api/chat/config', { quiet: true, authorization: `Guest ${id}` });
  if (!config.guestSecret) throw new ApiFailure('KEY_INVALID', 403, { detail: 'GUEST' });
  const visitor = { id, secret: config.guestSecret };
  keep(visitor);
  return { customer: customerOf(visitor), config };
}

const customerOf = ({ id, secret }: Visitor): Customer => ({
  id,
  authorization: `Guest ${id}.${secret}`,
  proof: { guestSecret: secret },
  whose: { userId: '', guestId: id },
  identity: { username: '', name: '' },
});
