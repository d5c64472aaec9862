import { strict as assert } from 'node:assert';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiReply } from '../harness/api-client.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';
import { actsOfCurrency, actNamesOf } from './random-day-acts.ts';
import { SIMULATOR_FAULTS } from './random-day-faults.ts';
import type { DayOffers } from './random-day-incentives.ts';
import { emptyMoneyRecords, type MoneyRecords, type RetriedReply } from './random-day-records.ts';

/** Pseudo-random numbers by seed (mulberry32). */
export function seededRandom(seed: number): {
  randomBelow(limit: number): number;
  pickItem<T>(items: readonly T[]): T;
} {
  let state = seed >>> 0;
  const nextNumber = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixedState = Math.imul(state ^ (state >>> 15), state | 1);
    mixedState ^= mixedState + Math.imul(mixedState ^ (mixedState >>> 7), mixedState | 61);
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 4_294_967_296;
  };
  const randomBelow = (limit: number): number => Math.floor(nextNumber() * limit);
  return { randomBelow, pickItem: (items) => items[randomBelow(items.length)] as never };
}
export type SeededRandom = ReturnType<typeof seededRandom>;

/** A person: bank app, wallet app, client, and own records of their money. */
export type RandomMember = TestMember & {
  currency: 'BAHT' | 'LAK';
  games: { code: string; username: string }[];
  /** Game of the last transfer. */
  lastGame?: string;
  records: MoneyRecords;
};

/** A server that is killed now and then, and restarted shortly afterwards. */
export type DayServer = {
  killServer(): Promise<void>;
  /** Resolves when the server replies. */
  isUp(): Promise<void>;
};

export type DayPlan = {
  seed: number;
  members: number;
  /** Acts per person. */
  actsPerMember: number;
  /** Concurrent persons. */
  concurrentMembers: number;
  /** Kills of the server, evenly over the day. */
  killCount: number;
};

/** Number of replies during the day, by act and status. */
export type ReplyCounts = Map<string, number>;

/** One in this many is a member with kip. */
const ONE_LAO_MEMBER_IN = 8;
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 100;
const NO_REPLY: ApiReply = { status: 0, headers: new Headers(), body: { message: 'NO_ANSWER' } };
const ASKED_AGAIN_MAX = 5;
/** One call in this many is sent twice concurrently with the same key, like a double tap. */
const ONE_DOUBLE_CALL_IN = 8;
const GAME_CODES = ['pg', 'askmebet', 'goalline', 'imi', 'betflix'];

/** Shared context of all members. */
export type RandomDay = {
  system: System;
  random: SeededRandom;
  offers: DayOffers;
  /** Registered persons. */
  members: RandomMember[];
  /**
   * Calls the server like the app: retries with the same key without a reply. Sometimes sends a call twice
   * concurrently.
   */
  call: (
    member: RandomMember,
    name: string,
    options?: { body?: unknown; params?: Record<string, string> },
  ) => Promise<RetriedReply>;
  /** Repeats an idempotent request until it is answered. */
  untilAnswered: (sendRequest: () => Promise<ApiReply>) => Promise<RetriedReply>;
};

/** Runs all persons' acts, several concurrently, while counterparties misbehave. */
export async function runRandomDay(
  system: System,
  server: DayServer,
  offers: DayOffers,
  { seed, members, actsPerMember, concurrentMembers, killCount }: DayPlan,
): Promise<{ randomDay: RandomDay; members: RandomMember[]; replyCounts: ReplyCounts }> {
  const randomDay = createRandomDay(system, server, offers, seededRandom(seed));
  const { random, members: people } = randomDay;
  const replyCounts: ReplyCounts = new Map();
  const actCountsOfKills = Array.from({ length: killCount }, (_, killIndex) =>
    Math.ceil((members * actsPerMember * (killIndex + 1)) / (killCount + 1)),
  );
  let doneActs = 0;
  const runActs = async (member: RandomMember, actCount: number): Promise<void> => {
    for (let actNumber = 0; actNumber < actCount; actNumber += 1) {
      if (random.randomBelow(3) === 0) {
        const { status } = await system.simulatorsApi('POST /control/faults', {
          body: random.pickItem(SIMULATOR_FAULTS),
        });
        assert.equal(status, 201);
      }
      const [name, reply] = await runRandomAct(randomDay, member);
      const replyName = `${name} ${replyNameOf(reply)}`;
      replyCounts.set(replyName, (replyCounts.get(replyName) ?? 0) + 1);
      assert.ok(reply.status < 500 || reply.status === 502 || reply.status === 503, `${replyName} ${reply.status}`);
      doneActs += 1;
      // Concurrent with the others' acts.
      if (actCountsOfKills.includes(doneActs)) await server.killServer();
    }
  };
  const runConcurrently = async <Item>(
    items: readonly Item[],
    visitItem: (item: Item) => Promise<void>,
  ): Promise<void> => {
    const waitingItems = [...items];
    const runOneAfterAnother = async (): Promise<void> => {
      for (let item = waitingItems.shift(); item !== undefined; item = waitingItems.shift()) await visitItem(item);
    };
    await Promise.all(Array.from({ length: concurrentMembers }, runOneAfterAnother));
  };
  const morningActs = Math.ceil(actsPerMember / 2);
  const memberIndexes = Array.from({ length: members }, (_, index) => index);
  await runConcurrently(memberIndexes, async (index) => {
    const member = await registerMemberOfDay(
      randomDay,
      server,
      index % ONE_LAO_MEMBER_IN === ONE_LAO_MEMBER_IN - 1 ? 'LAK' : 'BAHT',
    );
    people.push(member);
    await runActs(member, morningActs);
  });
  await server.isUp();
  // By now invitees have played, and games have losses to refund.
  await runConcurrently([...people], (member) => runActs(member, actsPerMember - morningActs));
  await server.isUp();
  return { randomDay, members: people, replyCounts };
}

function replyNameOf({ status, body }: ApiReply): string {
  if (status >= 200 && status < 300) return status === 202 ? 'PROCESSING' : 'ok';
  // The details of progress contain amounts, which all differ.
  const detailCode = body?.detail?.includes('=') ? undefined : body?.detail;
  return [body?.message ?? body?.error ?? status, detailCode].filter(Boolean).join(' ');
}

function createRandomDay(system: System, server: DayServer, offers: DayOffers, random: SeededRandom): RandomDay {
  const untilAnswered = async (sendRequest: () => Promise<ApiReply>): Promise<RetriedReply> => {
    for (let attempt = 0; attempt < ASKED_AGAIN_MAX; attempt += 1) {
      try {
        return { ...(await sendRequest()), wasLost: attempt > 0 };
      } catch (error) {
        // fetch fails like this when no server listens, or when the server dies before its reply.
        if (!(error instanceof TypeError)) throw error;
        await server.isUp();
      }
    }
    return { ...NO_REPLY, wasLost: true };
  };
  const callServer: RandomDay['call'] = async ({ token }, name, options = {}) => {
    const idempotencyKey = crypto.randomUUID();
    const sendOnce = () => untilAnswered(() => system.api(name, { token, idempotencyKey, ...options }));
    const replies = await Promise.all(
      random.randomBelow(ONE_DOUBLE_CALL_IN) === 0 ? [sendOnce(), sendOnce()] : [sendOnce()],
    );
    const acceptedReplies = replies.filter(({ status }) => status >= 200 && status < 300);
    const references = new Set(acceptedReplies.map(({ body }) => body?.reference).filter(Boolean));
    assert.ok(references.size <= 1, `${name} was done twice for one key: ${[...references].join(', ')}`);
    return { ...(acceptedReplies[0] ?? replies[0] ?? NO_REPLY), wasLost: replies.some(({ wasLost }) => wasLost) };
  };
  return { system, random, offers, members: [], untilAnswered, call: callServer };
}

async function registerMemberOfDay(
  randomDay: RandomDay,
  server: DayServer,
  currency: RandomMember['currency'],
): Promise<RandomMember> {
  const bankCode = currency === 'LAK' ? 'BCEL' : randomDay.random.pickItem(['SCB', 'KBANK', 'BBL', 'BAY']);
  const possibleInviters = randomDay.members.filter((inviter) => inviter.currency === currency);
  const inviteCode =
    possibleInviters.length > 0 && randomDay.random.randomBelow(3) > 0
      ? `PR${randomDay.random.pickItem(possibleInviters).id}`
      : '';
  const member = await register(randomDay, server, { bankCode, currency, inviteCode });
  const randomMember: RandomMember = { ...member, currency, games: [], records: emptyMoneyRecords() };
  for (const code of currency === 'LAK' ? [] : GAME_CODES) {
    if (code !== 'pg' && randomDay.random.randomBelow(2) === 0) continue;
    const reply = await randomDay.call(randomMember, 'GET /api/wallet/activate/{slotCode}', {
      params: { slotCode: code },
    });
    if (reply.status === 200) randomMember.games.push({ code, username: reply.body.username });
  }
  await runAct(randomDay, randomMember, 'deposit by QR');
  await waitForBalanceIncrease(randomDay, randomMember);
  return randomMember;
}

/** Persons read their wallet before acts, and some disconnect early. */
export async function waitForBalanceIncrease(randomDay: RandomDay, member: RandomMember): Promise<void> {
  for (let readNumber = 0; readNumber < LOOKS_MAX; readNumber += 1) {
    const { body } = await randomDay.call(member, 'POST /api/statement', { body: { limit: 1 } });
    if (body?.total > 0) return;
    await wait(LOOK_EVERY_MS);
  }
}

async function register(
  randomDay: RandomDay,
  server: DayServer,
  registration: { bankCode: string; currency: string; inviteCode: string },
) {
  for (;;) {
    try {
      return await registerMember(randomDay.system, { ...registration, bankAccountNo: newAccountNo() });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // Killed during it: a member without a reply logs in again.
      await server.isUp();
    }
  }
}

async function runRandomAct(randomDay: RandomDay, member: RandomMember): Promise<[string, ApiReply]> {
  const name = randomDay.random.pickItem(actNamesOf(member));
  return [name, await runAct(randomDay, member, name)];
}

export async function runAct(randomDay: RandomDay, member: RandomMember, name: string): Promise<ApiReply> {
  const dayAct = actsOfCurrency(member)[name];
  assert.ok(dayAct, name);
  const game = member.games.length > 0 ? randomDay.random.pickItem(member.games) : undefined;
  return dayAct({ ...randomDay, member, game: game?.code ?? 'pg', username: game?.username ?? 'nobody' });
}
