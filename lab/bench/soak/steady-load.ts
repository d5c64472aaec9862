import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type { Command } from '../product/commands.ts';
import type { Member } from '../product/members.ts';
import type { System } from '../product/system.ts';

const TICK_MS = 10;
/** Number of error messages to keep. */
const REASONS_MAX = 20;

/** Progress since the last call. Latencies count from the due time of a command. */
export type Progress = { done: number; failed: number; p50Ms: number; p99Ms: number; waiting: number };

/**
 * Starts commands at a fixed rate, independent of replies (open loop). A command without a free member waits for one.
 */
export class SteadyLoad {
  readonly reasons: string[] = [];
  readonly #free: Member[];
  readonly #due: number[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #system: System;
  readonly #command: Command;
  #latencies: number[] = [];
  #failed = 0;
  #turns = 0;

  constructor(system: System, members: readonly Member[], command: Command) {
    this.#system = system;
    this.#command = command;
    this.#free = [...members];
  }

  /** Runs for some time, then waits for running commands. */
  async run(perSecond: number, durationMs: number): Promise<void> {
    const start = monotonicMs();
    for (let startedCount = 0; monotonicMs() - start < durationMs; await wait(TICK_MS)) {
      for (
        const dueCount = Math.floor(((monotonicMs() - start) / 1_000) * perSecond);
        startedCount < dueCount;
        startedCount += 1
      ) {
        this.#due.push(start + (startedCount * 1_000) / perSecond);
      }
      this.#startDue();
    }
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  takeProgress(): Progress {
    const sorted = this.#latencies.toSorted((first, second) => first - second);
    const quantile = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
    const progress = { done: sorted.length, failed: this.#failed, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
    this.#latencies = [];
    this.#failed = 0;
    return { ...progress, waiting: this.#due.length };
  }

  #startDue(): void {
    while (this.#due.length > 0 && this.#free.length > 0) {
      const [dueMs, member] = [this.#due.shift() ?? 0, this.#free.shift()];
      if (member) this.#track(this.#runOne(member, dueMs));
    }
  }

  #track(run: Promise<void>): void {
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  async #runOne(member: Member, dueMs: number): Promise<void> {
    this.#turns += 1;
    try {
      await this.#command.run(this.#system, member, this.#turns);
      this.#latencies.push(monotonicMs() - dueMs);
    } catch (error) {
      this.#failed += 1;
      if (this.reasons.length < REASONS_MAX) this.reasons.push(error instanceof Error ? error.message : String(error));
    }
    this.#free.push(member);
    this.#startDue();
  }
}
