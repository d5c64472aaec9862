import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type NotifySocket = {
  /** What a server gets of systemd beside its settings. */
  environment: Readonly<Record<string, string>>;
  /** Lines that have come so far. */
  received(): readonly string[];
  /** How many lines were this one. */
  count(line: string): number;
  close(): void;
};

// Node has no Unix datagram sockets; perl is part of every Debian.
const LISTEN = `use Socket;
socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($s, sockaddr_un($ARGV[0])) or die $!;
$| = 1;
print "listening\\n";
while (defined recv($s, my $datagram, 4096, 0)) { print map { "$_\\n" } split /\\n/, $datagram }`;
const SEND = `#!/usr/bin/perl
use Socket;
socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die $!;
send($s, join("\\n", @ARGV), 0, sockaddr_un($ENV{NOTIFY_SOCKET})) or die $!;
`;

/** Listens as systemd does. Needs perl; where systemd is not installed its `systemd-notify` is replaced by a few lines of perl. */
export async function openNotifySocket(watchdogMs?: number): Promise<NotifySocket> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-notify-'));
  const socket = join(directory, 'socket');
  const listener = spawn('perl', ['-e', LISTEN, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  await untilListening(listener, lines);
  return {
    environment: {
      NOTIFY_SOCKET: socket,
      ...(watchdogMs !== undefined && { WATCHDOG_USEC: String(watchdogMs * 1_000) }),
      ...(!hasSystemd() && { PATH: `${writeSender(directory)}:${process.env['PATH'] ?? ''}` }),
    },
    received: () => lines,
    count: (line) => lines.filter((one) => one === line).length,
    close() {
      listener.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const hasSystemd = (): boolean => spawnSync('systemd-notify', ['--version'], { stdio: 'ignore' }).status === 0;

function writeSender(directory: string): string {
  const folder = join(directory, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'systemd-notify'), SEND, { mode: 0o755 });
  return folder;
}

function untilListening(listener: ChildProcess, lines: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.once('exit', (code) => reject(new Error(`perl ended with ${code ?? 'a signal'}`)));
    if (!listener.stdout) return;
    createInterface({ input: listener.stdout }).on('line', (line) => {
      // Of systemd-notify, to learn that its line was read.
      if (line === 'BARRIER=1') return;
      if (line === 'listening') resolve();
      else lines.push(line);
    });
  });
}
