import { spawn } from 'node:child_process';

/** Notifies systemd (sd_notify(3)); does nothing when the server does not run under systemd. */
export type ServiceManager = {
  /** The server is ready. From now on the watchdog is notified whenever `isAlive` returns true. */
  ready(isAlive?: () => boolean): void;
  /** The server drains or stops; the watchdog is still notified. */
  stopping(): void;
};

/**
 * Sends each line that it reads to systemd, then prints an empty line. Node has no Unix datagram sockets;
 * systemd-notify is part of systemd, and the unit needs NotifyAccess=all for it. One shell serves all lines and starts
 * while this process is small: a fork of a large process stalls its event loop.
 */
const SENDER_SCRIPT = 'while read -r line; do systemd-notify "$line"; echo; done';
/** Several signals per watchdog period, because a busy event loop sends them late. */
const SIGNALS_PER_PERIOD = 4;
/** Extra time for the start, requested repeatedly: recovery and migration of a database may take long. */
const START_EXTENSION_MS = 60_000;
const START_SIGNAL_MS = 10_000;

/** @param watchdogMs period within which the watchdog must be notified @returns interval between two signals */
export const signalEveryMs = (watchdogMs: number): number => watchdogMs / SIGNALS_PER_PERIOD;

/**
 * Requests more time for the start from systemd, until `ready`.
 * @param notifySocket socket of systemd; undefined: the server does not run under systemd
 * @param watchdogMs period of the watchdog; undefined: no watchdog
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
  const { send, isIdle } = openSender();
  // A queued signal would be sent when it is no longer true, so it is skipped.
  const sendWhenIdle = (line: string): void => {
    if (isIdle()) send(line);
  };
  const extendStartTimeout = (): void => sendWhenIdle(`EXTEND_TIMEOUT_USEC=${START_EXTENSION_MS * 1_000}`);
  const startTimer = setInterval(extendStartTimeout, START_SIGNAL_MS).unref();
  extendStartTimeout();
  return {
    ready(isAlive = () => true) {
      clearInterval(startTimer);
      if (state !== 'starting') return;
      state = 'serving';
      send('READY=1');
      if (watchdogMs === undefined) return;
      setInterval(() => isAlive() && sendWhenIdle('WATCHDOG=1'), signalEveryMs(watchdogMs)).unref();
    },
    stopping() {
      clearInterval(startTimer);
      if (state === 'stopping') return;
      state = 'stopping';
      send('STOPPING=1');
    },
  };
}

type Sender = { send: (line: string) => void; isIdle: () => boolean };

/** Starts the sender, which ends with this process. It reports failures on standard error. */
function openSender(): Sender {
  const senderProcess = spawn('sh', ['-c', SENDER_SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  let unansweredCount = 0;
  senderProcess.stdout.on('data', (newlines: Buffer) => (unansweredCount -= newlines.length));
  senderProcess.on('error', (error) => process.stderr.write(`systemd can't be notified: ${error.message}\n`));
  senderProcess.stdin.on('error', () => {});
  senderProcess.unref();
  return {
    send: (line) => {
      unansweredCount += 1;
      senderProcess.stdin.write(`${line}\n`);
    },
    isIdle: () => unansweredCount === 0,
  };
}
