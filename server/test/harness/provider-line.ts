import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { Outside } from '../../src/outside-config.ts';
import { freePort } from './free-port.ts';

type Mood =
  | 'pass'
  | 'drop before passing on'
  | 'drop the answer'
  | 'bring balances late'
  | 'leave checks without an answer';

/** What each mood is about, by the paths of `pg`. */
const MEANT: Readonly<Record<Exclude<Mood, 'pass'>, string>> = {
  'drop before passing on': '/Cash/v3/Transfer',
  'drop the answer': '/Cash/v3/Transfer',
  'bring balances late': '/Cash/v3/GetPlayerWallet',
  'leave checks without an answer': '/Cash/v3/GetSingleTransaction',
};
const LATE_MS = 250;

/** A proxy between the server and the provider `pg` that breaks calls at a chosen point. */
export class ProviderLine {
  mood: Mood = 'pass';
  target = '';
  /** The same port after a cut: a port assigned by the system could be in use by another process by then. */
  #port: number | undefined;
  #server: Server | undefined;

  async open(): Promise<string> {
    const server = createServer((asked, reply) => {
      const isMeant = this.mood !== 'pass' && asked.url?.includes(MEANT[this.mood]);
      const mood = isMeant ? this.mood : 'pass';
      if (mood === 'leave checks without an answer') return;
      if (mood === 'drop before passing on') return void asked.socket.destroy();
      const onward = request(this.target + asked.url, { method: asked.method, headers: asked.headers }, (answer) => {
        if (mood === 'drop the answer') return void answer.resume().on('end', () => asked.socket.destroy());
        const pass = () => {
          reply.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(reply);
        };
        if (mood === 'bring balances late') setTimeout(pass, LATE_MS);
        else pass();
      });
      onward.on('error', () => asked.socket.destroy());
      asked.pipe(onward);
    });
    // Never closed by a time-out: a call could be in flight at that moment.
    server.keepAliveTimeout = 0;
    this.#port ??= await freePort();
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Aborts all calls in flight. */
  breakOff(): void {
    this.#server?.closeAllConnections();
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.breakOff();
    await closed;
  }
}

/** For `startSystem`: the provider is reached by the line alone. */
export async function lineTo(name: 'pg', line: ProviderLine): Promise<(outside: Outside) => Outside> {
  const url = await line.open();
  return (outside) => {
    const config = outside.games[name];
    assert.ok(config);
    line.target = config.url;
    return { ...outside, games: { ...outside.games, [name]: { ...config, url } } };
  };
}
