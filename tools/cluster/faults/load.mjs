import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { GAMES, payCode } from './members.mjs';

const RETRY_MS = 500;
const GATEWAYS = ['KBANK', 'WW', 'FP', 'PAYONEX'];
const TRANSFER_MOST = 50;
const DEPOSIT = 100;
const WITHDRAWAL = 100;

/** Commands by weight. Each answers its call, and `after`, what follows its acknowledgement. */
const COMMANDS = [
  ...Array.from({ length: 8 }, () => transferIn),
  ...Array.from({ length: 8 }, () => transferOut),
  withdrawal,
  withdrawal,
  spin,
  spin,
  deposit,
  deposit,
];

function transferIn(random) {
  const body = { from: 'WALLET', to: random.pick(GAMES), amount: 1 + random.below(TRANSFER_MOST) };
  return { name: 'transfer-in', path: '/api/wallet/transfer', body };
}

function transferOut(random) {
  const body = { from: random.pick(GAMES), to: 'WALLET', amount: 1 + random.below(TRANSFER_MOST) };
  return { name: 'transfer-out', path: '/api/wallet/transfer', body };
}

function withdrawal() {
  return { name: 'withdrawal', path: '/api/wallet/withdraw', body: { amount: WITHDRAWAL } };
}

function spin() {
  return { name: 'spin', path: '/api/spinwheel/spin', body: {} };
}

function deposit(random) {
  return { name: 'deposit', path: `/api/qrcode/${random.pick(GATEWAYS)}`, body: { amount: DEPOSIT }, pays: true };
}

/** Carried out, or under way, and kept under its key; a refusal may keep nothing. */
export const isKept = ({ status, body }) => (status === 200 || status === 202) && body?.success !== false;
/** Without an answer of a node, or asked to try again: the outcome is unknown. */
const isUnknown = ({ status, body }) => [0, 500, 503, 504].includes(status) || body === undefined;

/** A steady load of money commands with keys, through the balancer, until it is stopped. */
export class Load {
  /** Every command with a kept answer, and those whose outcome is in doubt. */
  records = [];
  /** Answers by status; 0: none came. */
  statuses = new Map();
  acknowledgedAt = [];
  /** Answers 500, and 503 without Retry-After. */
  violations = [];
  #isOn = true;

  constructor({ api, outside, members, perSecond, random }) {
    Object.assign(this, { api, outside, members, random, pauseMs: (members.length / perSecond) * 1_000 });
  }

  start() {
    this.running = Promise.all(this.members.map((member) => this.#play(member)));
  }

  /** Lets every command come to an answer. */
  async stop() {
    this.#isOn = false;
    await this.running;
  }

  async #play(member) {
    await wait(this.random.next() * this.pauseMs);
    while (this.#isOn) {
      const startedAt = performance.now();
      await this.#command(member);
      const leftMs = this.pauseMs * (0.5 + this.random.next()) - (performance.now() - startedAt);
      if (leftMs > 0) await wait(leftMs);
    }
  }

  async #command(member) {
    const { name, path, body, pays } = this.random.pick(COMMANDS)(this.random);
    const wish = { method: 'POST', path, body, token: member.token, key: randomUUID() };
    const startedAt = performance.now();
    let tries = 0;
    let answer;
    do {
      if (tries > 0) await wait(RETRY_MS);
      tries += 1;
      answer = await this.ask(wish);
    } while (isUnknown(answer));
    // A refusal keeps nothing; but a call without an answer, before it, may be carried out yet.
    if (!isKept(answer) && tries === 1) return;
    if (isKept(answer)) this.acknowledgedAt.push(performance.now());
    this.records.push({ name, member, wish, answer, tries, ms: performance.now() - startedAt });
    if (pays && answer.body.payload) await payCode(this, member, answer.body).catch(() => {});
  }

  /** One call, counted. */
  async ask(wish) {
    const answer = await this.api.call(wish);
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    const isOurs = answer.body !== undefined;
    const lacksRetryAfter = answer.status === 503 && !answer.hasRetryAfter;
    if ((answer.status === 500 && isOurs) || lacksRetryAfter) {
      this.violations.push({ at: new Date().toISOString(), path: wish.path, status: answer.status, body: answer.body });
    }
    return answer;
  }

  /** The longest time without an acknowledgement between two moments of `performance.now()`. */
  longestGap(from, to) {
    const inside = this.acknowledgedAt.filter((at) => at > from && at < to);
    return Math.max(...[...inside, to].map((at, index) => at - (index === 0 ? from : inside[index - 1])));
  }
}
