import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type NotifySocket = {
  /** Environment that systemd adds for a server. */
  environment: Readonly<Record<string, string>>;
  /** Lines received so far. */
  receivedLines(): readonly string[];
  /** Number of lines equal to this one. */
  countLines(line: string): number;
  close(): void;
};

// Node has no Unix datagram sockets; perl is part of every Debian.
const LISTEN_SCRIPT = `use Socket;
socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($s, sockaddr_un($ARGV[0])) or die $!;
$| = 1;
print "listening\\n";
while (defined recv($s, my $datagram, 4096, 0)) { print map { "$_\\n" } split /\\n/, $datagram }`;
const SEND_SCRIPT = `#!/usr/bin/perl
use Socket;
socket(my $s, PF_UNIX, SOCK_DGRAM, 0) or die $!;
send($s, join("\\n", @ARGV), 0, sockaddr_un($ENV{NOTIFY_SOCKET})) or die $!;
`;

/** Listens like systemd. Needs perl; without systemd, its `systemd-notify` is replaced by a perl script. */
export async function openNotifySocket(watchdogMs?: number): Promise<NotifySocket> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-notify-'));
  const socket = join(directory, 'socket');
  const listener = spawn('perl', ['-e', LISTEN_SCRIPT, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const receivedLines: string[] = [];
  await waitForListening(listener, receivedLines);
  return {
    environment: {
      NOTIFY_SOCKET: socket,
      ...(watchdogMs !== undefined && { WATCHDOG_USEC: String(watchdogMs * 1_000) }),
      ...(!hasSystemd() && { PATH: `${writeSender(directory)}:${process.env['PATH'] ?? ''}` }),
    },
    receivedLines: () => receivedLines,
    countLines: (line) => receivedLines.filter((receivedLine) => receivedLine === line).length,
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
  writeFileSync(join(folder, 'systemd-notify'), SEND_SCRIPT, { mode: 0o755 });
  return folder;
}

function waitForListening(listener: ChildProcess, lines: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.once('exit', (code) => reject(new Error(`perl ended with ${code ?? 'a signal'}`)));
    if (!listener.stdout) return;
    createInterface({ input: listener.stdout }).on('line', (line) => {
      // systemd-notify sends this line to learn that its message was read.
      if (line === 'BARRIER=1') return;
      if (line === 'listening') resolve();
      else lines.push(line);
    });
  });
}
