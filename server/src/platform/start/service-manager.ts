import { spawn } from 'node:child_process';

/** Notifies systemd (sd_notify(3)); does nothing where the server does not run under it. */
export type ServiceManager = {
  /** The server serves. From now on the watchdog is notified each time that `isAlive` agrees. */
  ready(isAlive?: () => boolean): void;
  /** The server drains or stops; the watchdog is still notified. */
  stopping(): void;
};

/**
 * Sends each line that it reads, and answers with an empty one. Node has no Unix datagram sockets; systemd-notify is part of systemd, and the unit needs
 * NotifyAccess=all for it. One shell for all lines, begun while this process is small: a fork of a large one stalls its event loop.
 */
const SENDER = 'while read -r line; do systemd-notify "$line"; echo; done';
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
  const { say, isIdle } = openSender();
  // A signal that waited for another would come when it is no longer true.
  const signal = (line: string): void => {
    if (isIdle()) say(line);
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

type Sender = { say: (line: string) => void; isIdle: () => boolean };

/** Starts the sender, which ends with this process. What it can't send it says on standard error. */
function openSender(): Sender {
  const sender = spawn('sh', ['-c', SENDER], { stdio: ['pipe', 'pipe', 'inherit'] });
  let unanswered = 0;
  sender.stdout.on('data', (newlines: Buffer) => (unanswered -= newlines.length));
  sender.on('error', (error) => process.stderr.write(`systemd can't be notified: ${error.message}\n`));
  sender.stdin.on('error', () => {});
  sender.unref();
  return {
    say: (line) => {
      unanswered += 1;
      sender.stdin.write(`${line}\n`);
    },
    isIdle: () => unanswered === 0,
  };
}
