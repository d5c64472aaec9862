import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type { Command } from '../product/commands.ts';
import type { Member } from '../product/members.ts';
import type { System } from '../product/system.ts';

const TICK_MS = 10;
/** Failures of which the message is kept. */
const REASONS_MAX = 20;

/** What happened since the last look. Latencies count from when a command was due. */
export type Progress = { done: number; failed: number; p50Ms: number; p99Ms: number; waiting: number };

/**
 * Begins a command so many times a second, whether or not earlier ones have ended: as many callers as arrive, not as many as
 * the system can serve. A command that finds no free member waits for one.
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

  /** Runs for some time, then waits for what was begun. */
  async run(perSecond: number, forMs: number): Promise<void> {
    const start = monotonicMs();
    for (let begun = 0; monotonicMs() - start < forMs; await wait(TICK_MS)) {
      for (const due = Math.floor(((monotonicMs() - start) / 1_000) * perSecond); begun < due; begun += 1) {
        this.#due.push(start + (begun * 1_000) / perSecond);
      }
      this.#begin();
    }
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  look(): Progress {
    const sorted = this.#latencies.toSorted((one, other) => one - other);
    const quantile = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
    const seen = { done: sorted.length, failed: this.#failed, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
    this.#latencies = [];
    this.#failed = 0;
    return { ...seen, waiting: this.#due.length };
  }

  #begin(): void {
    while (this.#due.length > 0 && this.#free.length > 0) {
      const [due, member] = [this.#due.shift() ?? 0, this.#free.shift()];
      if (member) this.#track(this.#runOne(member, due));
    }
  }

  #track(one: Promise<void>): void {
    this.#running.add(one);
    void one.finally(() => this.#running.delete(one));
  }

  async #runOne(member: Member, due: number): Promise<void> {
    this.#turns += 1;
    try {
      await this.#command.run(this.#system, member, this.#turns);
      this.#latencies.push(monotonicMs() - due);
    } catch (error) {
      this.#failed += 1;
      if (this.reasons.length < REASONS_MAX) this.reasons.push(error instanceof Error ? error.message : String(error));
    }
    this.#free.push(member);
    this.#begin();
  }
}
