import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

export type HttpReply = { status: number; body: string };

/** A keep-alive connection that sends JSON and waits for the answer; it costs next to nothing beside the server that it measures. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #received = '';
  #answered: ((reply: HttpReply) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  constructor(address: URL) {
    this.#host = address.host;
    this.#socket = connect(Number(address.port), address.hostname).setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#read(text));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server hung up')));
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /**
   * One call at a time.
   * @param headers whole lines, joined by \r\n
   * @param body JSON in ASCII; left out, none is sent
   */
  request(method: string, path: string, headers: string, body?: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      const json =
        body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
      this.#socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${json}${headers}${HEAD_END}${body ?? ''}`,
      );
    });
  }

  /** @param error why the call that waits for its answer fails; left out, that call never settles */
  close(error?: Error): void {
    if (error) this.#fail(error);
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#failed?.(error);
    this.#failed = undefined;
  }

  #read(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const bodyFrom = end + HEAD_END.length;
    if (this.#received.length < bodyFrom + length) return;
    const body = Buffer.from(this.#received.slice(bodyFrom, bodyFrom + length), 'latin1').toString();
    const status = Number(head.slice(9, 12));
    this.#received = '';
    this.#failed = undefined;
    this.#answered?.({ status, body });
  }
}
