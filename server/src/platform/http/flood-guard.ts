import type { FastifyRequest } from 'fastify';
import { Refusal } from '../errors.ts';
import { hashToken } from '../ids.ts';
import { monotonicMs } from '../time.ts';
import { callerAddress } from './caller-address.ts';
import { bearerToken } from './caller.ts';

/**
 * Limits the calls of each member and network in this process, before expensive work. A live session's calls count for
 * its member alone: strangers behind the same address can't use them up.
 */
export type FloodGuard = {
  /**
   * Counts a call before it is authenticated, except one with an issued token: it is counted afterwards.
   * @throws {Refusal} REQUEST_LIMIT, `detail` ADDRESS or MEMBER
   */
  admit(request: FastifyRequest): void;
  /** Whether the call is still to be counted. */
  isUncounted(request: FastifyRequest): boolean;
  /** Counts an authenticated call, unless it is counted. @throws {Refusal} REQUEST_LIMIT, `detail` MEMBER */
  countMember(request: FastifyRequest, memberId: string): void;
  /** Counts a call for its network, as its session has ended. @throws {Refusal} REQUEST_LIMIT, `detail` ADDRESS */
  countEndedSession(request: FastifyRequest): void;
  /** Counts a call for its network, as its session could not be read. @throws {Refusal} REQUEST_LIMIT, `detail` ADDRESS */
  countUnreadSession(request: FastifyRequest): void;
};

const WINDOW_MS = 60_000;
/** Maximum number of counters. Above it all counters are reset, which bounds memory. */
const ENTRIES_MAX = 50_000;

/** Counts of the current window. Members and ended sessions are known by the hash of their token. */
type CallWindow = {
  endsAtMs: number;
  hits: Map<string, number>;
  memberIds: Map<string, string>;
  endedTokens: Set<string>;
};

/**
 * @param perMinute calls of one member, and of one network without a session
 * @param isIssued whether a token comes from this installation: an invented one costs no read
 */
export function createFloodGuard(perMinute: number, isIssued: (token: string) => boolean): FloodGuard {
  let current: CallWindow = newWindow(0);
  const uncounted = new WeakMap<FastifyRequest, string>();
  const window = (): CallWindow => {
    const now = monotonicMs();
    const size = current.hits.size + current.memberIds.size + current.endedTokens.size;
    if (now >= current.endsAtMs || size >= ENTRIES_MAX) current = newWindow(now + WINDOW_MS);
    return current;
  };
  const count = (key: string, detail: 'ADDRESS' | 'MEMBER'): void => {
    const { hits, endsAtMs } = window();
    const hitCount = (hits.get(key) ?? 0) + 1;
    hits.set(key, hitCount);
    if (hitCount <= perMinute) return;
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - monotonicMs()) / 1000));
    throw new Refusal('REQUEST_LIMIT', { detail, retryAfterSeconds });
  };
  const countNetwork = (request: FastifyRequest): void => count(callerAddress(request).group, 'ADDRESS');
  return {
    admit(request) {
      const token = bearerToken(request) ?? '';
      if (token === '') return countNetwork(request);
      const tokenKey = hashToken(token).toString('base64');
      const { memberIds, endedTokens } = window();
      const memberId = memberIds.get(tokenKey);
      if (memberId !== undefined) return count(`member:${memberId}`, 'MEMBER');
      // Routes outside the contract don't authenticate.
      const willAuthenticate = request.routeOptions.config.endpoint !== undefined;
      if (willAuthenticate && isIssued(token) && !endedTokens.has(tokenKey)) uncounted.set(request, tokenKey);
      else countNetwork(request);
    },
    isUncounted: (request) => uncounted.has(request),
    countMember(request, memberId) {
      window().memberIds.set(
        uncounted.get(request) ?? hashToken(bearerToken(request) ?? '').toString('base64'),
        memberId,
      );
      if (uncounted.delete(request)) count(`member:${memberId}`, 'MEMBER');
    },
    countEndedSession(request) {
      const tokenKey = uncounted.get(request) ?? hashToken(bearerToken(request) ?? '').toString('base64');
      window().memberIds.delete(tokenKey);
      if (!uncounted.delete(request)) return;
      window().endedTokens.add(tokenKey);
      countNetwork(request);
    },
    // The session may be live: the next call reads it again.
    countUnreadSession(request) {
      if (uncounted.delete(request)) countNetwork(request);
    },
  };
}

const newWindow = (endsAtMs: number): CallWindow => ({
  endsAtMs,
  hits: new Map(),
  memberIds: new Map(),
  endedTokens: new Set(),
});
