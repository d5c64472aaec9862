import { strict as assert } from 'node:assert';
import { setTimeout as wait } from 'node:timers/promises';
import type { ApiReply } from '../harness/api-client.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';
import { actsOf, wishesOf } from './random-day-acts.ts';
import { FAULTS } from './random-day-faults.ts';
import type { Offers } from './random-day-incentives.ts';
import { emptyNotes, type Notes, type Told } from './random-day-notes.ts';

/** Numbers that look random and are the same for the same seed (mulberry32). */
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

/** A person of the day: their bank app, their wallet app, how they call us, and what they know of their money. */
export type Person = TestMember & {
  currency: 'BAHT' | 'LAK';
  games: { code: string; username: string }[];
  /** Where they have put money last. */
  lastGame?: string;
  notes: Notes;
};

/** A server that is killed now and then, and is there again a little later. */
export type DayServer = {
  kill(): Promise<void>;
  /** Kept when it answers. */
  isUp(): Promise<void>;
};

export type DayPlan = {
  seed: number;
  members: number;
  /** Things that each does. */
  acts: number;
  /** People who do something at the same moment. */
  atOnce: number;
  /** How often the server is killed, evenly over the day. */
  kills: number;
};

/** Everything that was answered during the day, for who wants to know that something happened. */
export type Tally = Map<string, number>;

/** One in this many is a member with kip. */
const LAO_EVERY = 8;
const LOOKS_MAX = 20;
const LOOK_EVERY_MS = 100;
const NO_ANSWER: ApiReply = { status: 0, headers: new Headers(), body: { message: 'NO_ANSWER' } };
const ASKED_AGAIN_MAX = 5;
/** One call in so many is sent twice at the same moment, with the same key: a thumb that trembles. */
const TWICE_EVERY = 8;
const GAMES = ['pg', 'askmebet', 'goalline', 'imi', 'betflix'];

/** What all members need for the day. */
export type Day = {
  system: System;
  random: Random;
  offers: Offers;
  /** Who is there already. */
  people: Person[];
  /** Calls us as the app does: when no answer came it asks again with the same key. Now and then it is sent twice at once. */
  call: (person: Person, name: string, options?: { body?: unknown; params?: Record<string, string> }) => Promise<Told>;
  /** Does something towards us until it is answered. Only for what may be done twice. */
  untilAnswered: (send: () => Promise<ApiReply>) => Promise<Told>;
};

/** Lets people do what people do, several at once, while the outside misbehaves. Ends when all have done everything. */
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
      // In the middle of what the others are doing.
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
  // By now their friends have come and played, and games have taken what can be received back.
  await atTheSameTime([...people], (person) => liveOn(person, acts - morning));
  await server.isUp();
  return { day, people, tally };
}

function wordOf({ status, body }: ApiReply): string {
  if (status >= 200 && status < 300) return status === 202 ? 'PROCESSING' : 'ok';
  // Progress has amounts in its detail: no two are the same.
  const detail = body?.detail?.includes('=') ? undefined : body?.detail;
  return [body?.message ?? body?.error ?? status, detail].filter(Boolean).join(' ');
}

function dayOf(system: System, server: DayServer, offers: Offers, random: Random): Day {
  const untilAnswered = async (send: () => Promise<ApiReply>): Promise<Told> => {
    for (let times = 0; times < ASKED_AGAIN_MAX; times += 1) {
      try {
        return { ...(await send()), wasLost: times > 0 };
      } catch (error) {
        // fetch fails so when no server listens, or when the server dies over its answer.
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

/** People look at their wallet before they play, and some lose patience. */
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
      // Killed over it: a member without an answer logs in again.
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
