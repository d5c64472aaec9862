import { strict as assert } from 'node:assert';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiReply } from '../harness/api-client.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';
import { actsOf, wishesOf } from './random-day-acts.ts';
import { FAULTS } from './random-day-faults.ts';
import type { Offers } from './random-day-incentives.ts';
import { emptyNotes, type Notes, type RetriedReply } from './random-day-notes.ts';

/** Pseudo-random numbers by seed (mulberry32). */
export function randomOf(seed: number): { below(limit: number): number; pick<T>(items: readonly T[]): T } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: (items) => items[below(items.length)] as never };
}
export type Random = ReturnType<typeof randomOf>;

/** A person: bank app, wallet app, client, and own records of their money. */
export type Person = TestMember & {
  currency: 'BAHT' | 'LAK';
  games: { code: string; username: string }[];
  /** Game of the last transfer. */
  lastGame?: string;
  notes: Notes;
};

/** A server that is killed now and then, and restarted shortly afterwards. */
export type DayServer = {
  kill(): Promise<void>;
  /** Resolves when the server replies. */
  isUp(): Promise<void>;
};

export type DayPlan = {
  seed: number;
  members: number;
  /** Acts per person. */
  acts: number;
  /** Concurrent persons. */
  atOnce: number;
  /** Kills of the server, evenly over the day. */
  kills: number;
};

/** Number of replies during the day, by act and status. */
export type Tally = Map<string, number>;

/** One in this many is a member with kip. */
const LAO_EVERY = 8;
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 100;
const NO_ANSWER: ApiReply = { status: 0, headers: new Headers(), body: { message: 'NO_ANSWER' } };
const ASKED_AGAIN_MAX = 5;
/** One call in this many is sent twice concurrently with the same key, like a double tap. */
const TWICE_EVERY = 8;
const GAMES = ['pg', 'askmebet', 'goalline', 'imi', 'betflix'];

/** Shared context of all members. */
export type Day = {
  system: System;
  random: Random;
  offers: Offers;
  /** Registered persons. */
  people: Person[];
  /**
   * Calls the server like the app: retries with the same key without a reply. Sometimes sends a call twice
   * concurrently.
   */
  call: (
    person: Person,
    name: string,
    options?: { body?: unknown; params?: Record<string, string> },
  ) => Promise<RetriedReply>;
  /** Repeats an idempotent request until it is answered. */
  untilAnswered: (send: () => Promise<ApiReply>) => Promise<RetriedReply>;
};

/** Runs all persons' acts, several concurrently, while third parties misbehave. */
export async function liveThroughDay(
  system: System,
  server: DayServer,
  offers: Offers,
  { seed, members, acts, atOnce, kills }: DayPlan,
): Promise<{ day: Day; people: Person[]; tally: Tally }> {
  const day = dayOf(system, server, offers, randomOf(seed));
  const { random, people } = day;
  const tally: Tally = new Map();
  const killsAfter = Array.from({ length: kills }, (_, at) => Math.ceil((members * acts * (at + 1)) / (kills + 1)));
  let done = 0;
  const liveOn = async (person: Person, times: number): Promise<void> => {
    for (let act = 0; act < times; act += 1) {
      if (random.below(3) === 0) {
        const { status } = await system.world('POST /control/faults', { body: random.pick(FAULTS) });
        assert.equal(status, 201);
      }
      const [name, reply] = await doSomething(day, person);
      const word = `${name} ${wordOf(reply)}`;
      tally.set(word, (tally.get(word) ?? 0) + 1);
      assert.ok(reply.status < 500 || reply.status === 502 || reply.status === 503, `${word} ${reply.status}`);
      done += 1;
      // Concurrent with the others' acts.
      if (killsAfter.includes(done)) await server.kill();
    }
  };
  const atTheSameTime = async <Item>(items: readonly Item[], live: (item: Item) => Promise<void>): Promise<void> => {
    const waiting = [...items];
    const liveOneAfterTheOther = async (): Promise<void> => {
      for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await live(item);
    };
    await Promise.all(Array.from({ length: atOnce }, liveOneAfterTheOther));
  };
  const morning = Math.ceil(acts / 2);
  const numbers = Array.from({ length: members }, (_, index) => index);
  await atTheSameTime(numbers, async (index) => {
    const person = await arrive(day, server, index % LAO_EVERY === LAO_EVERY - 1 ? 'LAK' : 'BAHT');
    people.push(person);
    await liveOn(person, morning);
  });
  await server.isUp();
  // By now invitees have played, and games have losses to refund.
  await atTheSameTime([...people], (person) => liveOn(person, acts - morning));
  await server.isUp();
  return { day, people, tally };
}

function wordOf({ status, body }: ApiReply): string {
  if (status >= 200 && status < 300) return status === 202 ? 'PROCESSING' : 'ok';
  // The details of progress contain amounts, which all differ.
  const detail = body?.detail?.includes('=') ? undefined : body?.detail;
  return [body?.message ?? body?.error ?? status, detail].filter(Boolean).join(' ');
}

function dayOf(system: System, server: DayServer, offers: Offers, random: Random): Day {
  const untilAnswered = async (send: () => Promise<ApiReply>): Promise<RetriedReply> => {
    for (let times = 0; times < ASKED_AGAIN_MAX; times += 1) {
      try {
        return { ...(await send()), wasLost: times > 0 };
      } catch (error) {
        // fetch fails like this when no server listens, or when the server dies before its reply.
        if (!(error instanceof TypeError)) throw error;
        await server.isUp();
      }
    }
    return { ...NO_ANSWER, wasLost: true };
  };
  const call: Day['call'] = async ({ token }, name, options = {}) => {
    const idempotencyKey = crypto.randomUUID();
    const send = () => untilAnswered(() => system.api(name, { token, idempotencyKey, ...options }));
    const answers = await Promise.all(random.below(TWICE_EVERY) === 0 ? [send(), send()] : [send()]);
    const taken = answers.filter(({ status }) => status >= 200 && status < 300);
    const references = new Set(taken.map(({ body }) => body?.reference).filter(Boolean));
    assert.ok(references.size <= 1, `${name} was done twice for one key: ${[...references].join(', ')}`);
    return { ...(taken[0] ?? answers[0] ?? NO_ANSWER), wasLost: answers.some(({ wasLost }) => wasLost) };
  };
  return { system, random, offers, people: [], untilAnswered, call };
}

async function arrive(day: Day, server: DayServer, currency: Person['currency']): Promise<Person> {
  const bankCode = currency === 'LAK' ? 'BCEL' : day.random.pick(['SCB', 'KBANK', 'BBL', 'BAY']);
  const friends = day.people.filter((one) => one.currency === currency);
  const inviteCode = friends.length > 0 && day.random.below(3) > 0 ? `PR${day.random.pick(friends).id}` : '';
  const member = await register(day, server, { bankCode, currency, inviteCode });
  const person: Person = { ...member, currency, games: [], notes: emptyNotes() };
  for (const code of currency === 'LAK' ? [] : GAMES) {
    if (code !== 'pg' && day.random.below(2) === 0) continue;
    const reply = await day.call(person, 'GET /api/wallet/activate/{slotCode}', { params: { slotCode: code } });
    if (reply.status === 200) person.games.push({ code, username: reply.body.username });
  }
  await doNamed(day, person, 'deposit by QR');
  await untilMoneyCame(day, person);
  return person;
}

/** Persons read their wallet before acts, and some disconnect early. */
export async function untilMoneyCame(day: Day, person: Person): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const { body } = await day.call(person, 'POST /api/statement', { body: { limit: 1 } });
    if (body?.total > 0) return;
    await wait(LOOK_EVERY_MS);
  }
}

async function register(
  day: Day,
  server: DayServer,
  choices: { bankCode: string; currency: string; inviteCode: string },
) {
  for (;;) {
    try {
      return await registerMember(day.system, { ...choices, bankAccountNo: newAccountNo() });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      // Killed during it: a member without a reply logs in again.
      await server.isUp();
    }
  }
}

async function doSomething(day: Day, person: Person): Promise<[string, ApiReply]> {
  const name = day.random.pick(wishesOf(person));
  return [name, await doNamed(day, person, name)];
}

export async function doNamed(day: Day, person: Person, name: string): Promise<ApiReply> {
  const act = actsOf(person)[name];
  assert.ok(act, name);
  const game = person.games.length > 0 ? day.random.pick(person.games) : undefined;
  return act({ ...day, person, game: game?.code ?? 'pg', username: game?.username ?? 'nobody' });
}
