import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

/** One keep-alive connection that sends JSON and waits for the answer: next to nothing beside the server that it measures. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #received = '';
  #answered: ((status: number) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  constructor(address: URL) {
    this.#host = address.host;
    this.#socket = connect(Number(address.port), address.hostname).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#read(text));
    this.#socket.on('error', (error) => this.#failed?.(error));
    this.#socket.on('close', () => this.#failed?.(new Error('the server hung up')));
  }

  /** @returns the status of the answer */
  post(path: string, headers: string, body: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      const head = `POST ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\n`;
      this.#socket.write(`${head}Content-Length: ${body.length}\r\n${headers}${HEAD_END}${body}`);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < end + HEAD_END.length + length) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#answered?.(status);
  }
}
