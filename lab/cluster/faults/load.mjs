import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { areCopies, isKept, isUnknown, isViolation } from './answers.mjs';
import { nextCommand } from './commands.mjs';
import { longestGap } from './gaps.mjs';
import { payCode, sendTransfer } from './members.mjs';

const RETRY_FIRST_MS = 250;
const RETRY_LONGEST_MS = 2_000;
/** Share of commands that leave twice at the same time, and of commands after which the member looks at the wallet. */
const TWICE_SHARE = 0.05;
const READ_SHARE = 0.2;

/** A steady load of money commands with keys, through the balancer, until it is stopped. */
export class Load {
  /** Every command with a kept answer, and those whose outcome is in doubt. */
  records = [];
  /** Answers to money commands by status; 0: none came. */
  statuses = new Map();
  /** Commands with a key of their own, by name; `calls`: with retries and copies; `reads` of wallets. */
  sent = new Map();
  calls = 0;
  copies = 0;
  reads = 0;
  acknowledgedAt = [];
  /** Answers 500, 503 without Retry-After, and copies with another answer. */
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
      if (this.random.next() < READ_SHARE) await this.#read(member);
      const leftMs = this.pauseMs * (0.5 + this.random.next()) - (performance.now() - startedAt);
      if (leftMs > 0) await wait(leftMs);
    }
  }

  async #command(member) {
    const { name, path, body, payment } = nextCommand(this.random, member);
    const wish = { method: 'POST', path, body, token: member.token, key: randomUUID() };
    const isTwice = this.random.next() < TWICE_SHARE;
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    const outcomes = [this.#carryOut(wish)];
    if (isTwice) outcomes.push(this.#carryOut(wish));
    const ended = await Promise.all(outcomes);
    this.copies += ended.length - 1;
    // A refusal keeps nothing; but a call without an answer, before it, may be carried out yet.
    const kept = ended.map((one) => one.answer).filter(isKept);
    const isInDoubt = ended.some(({ tries }) => tries > 1);
    if (kept.length === 0 && !isInDoubt) return;
    if (!areCopies(kept)) this.violations.push({ path, key: wish.key, copies: kept });
    const answer = kept.find(({ status }) => status !== 202) ?? kept[0] ?? ended[0].answer;
    if (kept.length > 0) this.acknowledgedAt.push(performance.now());
    this.records.push({ name, member, wish, answer });
    if (kept.length > 0) await this.#pay(member, payment, answer.body).catch(() => {});
  }

  /** Sends the same key until there is an answer. */
  async #carryOut(wish) {
    let tries = 1;
    let answer = await this.ask(wish);
    for (let pauseMs = RETRY_FIRST_MS; isUnknown(answer); pauseMs = Math.min(2 * pauseMs, RETRY_LONGEST_MS)) {
      await wait(pauseMs);
      tries += 1;
      answer = await this.ask(wish);
    }
    return { answer, tries };
  }

  /** A live code is shown again for another key, and paid once. */
  async #pay(member, payment, body) {
    if (payment === 'qrcode' && body.payload && !member.paid.has(body.payload)) {
      member.paid.add(body.payload);
      await payCode(this, member, body);
    }
    if (payment === 'transfer' && body.payAmount) await sendTransfer(this, member, body);
  }

  async #read({ token }) {
    this.reads += 1;
    this.#check(await this.api.call({ path: '/api/wallet', token }), '/api/wallet');
  }

  /** One call of a money command, counted. */
  async ask(wish) {
    const answer = await this.api.call(wish);
    this.calls += 1;
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    this.#check(answer, wish.path);
    return answer;
  }

  #check(answer, path) {
    if (!isViolation(answer)) return;
    this.violations.push({ at: new Date().toISOString(), path, status: answer.status, body: answer.body });
  }

  /** The longest time without an acknowledgement between two moments of `performance.now()`, in ms. */
  longestGap(from, to) {
    return longestGap(this.acknowledgedAt, from, to);
  }
}
