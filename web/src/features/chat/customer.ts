import { STORAGE } from '@krapao/contract/constants';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { ApiFailure } from '../../api/errors.ts';
import { storedToken } from '../../api/session.ts';
import { randomId } from '../../api/random-id.ts';
import { readStored, writeStored } from '../../shell/storage.ts';

/** Whose conversation it is, and what proves it. */
export type Customer = {
  /** The member's id or the visitor's guest-id: with the prefix, their room. */
  id: string;
  /** The Authorization header of a visitor's calls; a member's carry the session as everywhere. */
  authorization: string | undefined;
  /** For the room of the socket. */
  proof: { token: string } | { guestSecret: string };
  /** Ids for request bodies; the other id is ''. */
  whose: { userId: string; guestId: string };
  /** What they are called, sent with each message; the server keeps its own records of a member instead. */
  identity: { username: string; name: string };
};

export type ChatConfig = Reply<'GET /api/chat/config'>;

/** A customer and what the server told when they came. */
export type ChatAdmission = { customer: Customer; config: ChatConfig };

/** Whether the caller is not, or no longer, the owner of the conversation. */
export const isForeignIdentity = (failure: unknown): boolean =>
  failure instanceof ApiFailure &&
  (failure.message === 'INVALID_USER_3' || (failure.message === 'KEY_INVALID' && failure.detail === 'GUEST'));

/** Who is here: the member who is logged in, else the visitor of this browser, who is made when there is none yet. */
export const openChatSession = (): Promise<ChatAdmission> => {
  const token = storedToken();
  return token ? arriveAsMember(token) : oneAtATime(arriveAsVisitor);
};

/** Whether this browser has been in the chat before, so that something may have been written to it meanwhile. */
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
/** Where the browser stores nothing, a visitor lasts as long as the page. */
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

/** Two windows that open at once must not each make a visitor: the second one finds what the first was given. */
const oneAtATime = <T>(work: () => Promise<T>): Promise<T> =>
  // Missing where a page came over plain http.
  navigator.locks ? navigator.locks.request(STORAGE.guestId, work) : work();

/** A secret that was lost, or that the server doesn't know any more, can't be had again: then a new visitor begins. */
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
