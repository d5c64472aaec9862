import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { nextCommand } from './commands.mjs';
import { longestGap } from './gaps.mjs';
import { payCode, sendTransfer } from './members.mjs';
import { areCopies, isKept, isUnknown, isViolation } from './replies.mjs';

const RETRY_FIRST_MS = 250;
const RETRY_LONGEST_MS = 2_000;
/** Shares of commands that are sent twice concurrently, and that are followed by a read of the wallet. */
const TWICE_SHARE = 0.05;
const READ_SHARE = 0.2;

/** A steady load of money commands with keys through the balancer. */
export class Load {
  /** Commands with a kept reply or an unknown outcome. */
  records = [];
  /** Replies to money commands by status; 0: no reply. */
  statuses = new Map();
  /** Commands with distinct keys, by name; `calls` includes retries and copies; `reads` of wallets. */
  sent = new Map();
  calls = 0;
  copies = 0;
  reads = 0;
  acknowledgedAt = [];
  /** Replies 500, 503 without Retry-After, and copies with different replies. */
  violations = [];
  #isRunning = true;

  constructor({ api, outside, members, perSecond, random }) {
    Object.assign(this, { api, outside, members, random, pauseMs: (members.length / perSecond) * 1_000 });
  }

  start() {
    this.running = Promise.all(this.members.map((member) => this.#run(member)));
  }

  /** Stops after each pending command has a reply. */
  async stop() {
    this.#isRunning = false;
    await this.running;
  }

  async #run(member) {
    await wait(this.random.next() * this.pauseMs);
    while (this.#isRunning) {
      const startedAt = performance.now();
      await this.#command(member);
      if (this.random.next() < READ_SHARE) await this.#read(member);
      const leftMs = this.pauseMs * (0.5 + this.random.next()) - (performance.now() - startedAt);
      if (leftMs > 0) await wait(leftMs);
    }
  }

  async #command(member) {
    const { name, path, body, payment } = nextCommand(this.random, member);
    const request = { method: 'POST', path, body, token: member.token, key: randomUUID() };
    const isCopied = this.random.next() < TWICE_SHARE;
    this.sent.set(name, (this.sent.get(name) ?? 0) + 1);
    const pendingCalls = [this.#execute(request)];
    if (isCopied) pendingCalls.push(this.#execute(request));
    const outcomes = await Promise.all(pendingCalls);
    this.copies += outcomes.length - 1;
    // A refusal is not kept, but an earlier call without a reply may still be executed.
    const keptReplies = outcomes.map((outcome) => outcome.reply).filter(isKept);
    const isInDoubt = outcomes.some(({ tries }) => tries > 1);
    if (keptReplies.length === 0 && !isInDoubt) return;
    if (!areCopies(keptReplies)) this.violations.push({ path, key: request.key, copies: keptReplies });
    const reply = keptReplies.find(({ status }) => status !== 202) ?? keptReplies[0] ?? outcomes[0].reply;
    if (keptReplies.length > 0) this.acknowledgedAt.push(performance.now());
    this.records.push({ name, member, request, reply });
    if (keptReplies.length > 0) await this.#pay(member, payment, reply.body).catch(() => {});
  }

  /** Sends the same key until the outcome is known: retries without a reply and after 500, 503 and 504. */
  async #execute(request) {
    let attempts = 1;
    let reply = await this.send(request);
    for (let pauseMs = RETRY_FIRST_MS; isUnknown(reply); pauseMs = Math.min(2 * pauseMs, RETRY_LONGEST_MS)) {
      await wait(pauseMs);
      attempts += 1;
      reply = await this.send(request);
    }
    return { reply, tries: attempts };
  }

  /** Pays once: another key may return the same unexpired code. */
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

  /** Sends a money command and counts the call. */
  async send(request) {
    const reply = await this.api.call(request);
    this.calls += 1;
    this.statuses.set(reply.status, (this.statuses.get(reply.status) ?? 0) + 1);
    this.#check(reply, request.path);
    return reply;
  }

  #check(reply, path) {
    if (!isViolation(reply)) return;
    this.violations.push({ at: new Date().toISOString(), path, status: reply.status, body: reply.body });
  }

  /** Longest time without an acknowledgement between two values of `performance.now()`, in ms. */
  longestGap(from, to) {
    return longestGap(this.acknowledgedAt, from, to);
  }
}
