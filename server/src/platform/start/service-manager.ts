import { execFile } from 'node:child_process';

/** Notifies systemd (sd_notify(3)); does nothing where the server does not run under it. */
export type ServiceManager = {
  /** The server serves. From now on the watchdog is notified each time that `isAlive` agrees. */
  ready(isAlive?: () => boolean): void;
  /** The server drains or stops; the watchdog is still notified. */
  stopping(): void;
};

/** Speaks the protocol: Node has no Unix datagram sockets. Part of systemd; the unit needs NotifyAccess=all for it. */
const PROGRAM = 'systemd-notify';
const PROGRAM_TIMEOUT_MS = 10_000;
/** The event loop that they are about sends them: one that is late must not end the server. */
const SIGNALS_PER_PERIOD = 4;
/** A start lasts as long as the recovery and the migration of a database: it asks for this much more time, again and again. */
const START_EXTENSION_MS = 60_000;
const START_SIGNAL_MS = 10_000;

/** @param watchdogMs period within which the watchdog must be notified @returns time between two signals */
export const signalEveryMs = (watchdogMs: number): number => watchdogMs / SIGNALS_PER_PERIOD;

/**
 * Asks systemd for more time for the start, until `ready`.
 * @param notifySocket where it listens; undefined: the server runs without it
 * @param watchdogMs its period; undefined: it has no watchdog for this server
 */
export function openServiceManager({
  notifySocket,
  watchdogMs,
}: {
  notifySocket: string | undefined;
  watchdogMs: number | undefined;
}): ServiceManager {
  if (notifySocket === undefined) return { ready() {}, stopping() {} };
  let state: 'starting' | 'serving' | 'stopping' = 'starting';
  let queued = 0;
  let sent = Promise.resolve();
  const say = (line: string): void => {
    queued += 1;
    sent = sent.then(() => notify(line)).finally(() => (queued -= 1));
  };
  // Signals do not queue up behind a slow one.
  const signal = (line: string): void => {
    if (queued === 0) say(line);
  };
  const extend = (): void => signal(`EXTEND_TIMEOUT_USEC=${START_EXTENSION_MS * 1_000}`);
  const start = setInterval(extend, START_SIGNAL_MS).unref();
  extend();
  return {
    ready(isAlive = () => true) {
      clearInterval(start);
      if (state !== 'starting') return;
      state = 'serving';
      say('READY=1');
      if (watchdogMs === undefined) return;
      setInterval(() => isAlive() && signal('WATCHDOG=1'), signalEveryMs(watchdogMs)).unref();
    },
    stopping() {
      clearInterval(start);
      if (state === 'stopping') return;
      state = 'stopping';
      say('STOPPING=1');
    },
  };
}

let hasFailed = false;

/** Resolves when systemd has read the line. A failure is reported once: systemd ends a server that does not notify it. */
function notify(line: string): Promise<void> {
  return new Promise((resolve) => {
    execFile(PROGRAM, [line], { timeout: PROGRAM_TIMEOUT_MS }, (error) => {
      if (error && !hasFailed) process.stderr.write(`systemd-notify ${line} failed: ${error.message.trim()}\n`);
      hasFailed ||= error !== null;
      resolve();
    });
  });
}
