import { eventMismatch, joinMismatch, replyMismatch } from '@krapao/contract/wire-faults';
import type { Browser, BrowserContext, Page, Response } from '@playwright/test';

/** A Socket.IO packet in its text form: an event (2) or an acknowledgement (3), with its number, and its arguments. */
const PACKET = /^4([23])(\d*)(\[.*)$/s;

/**
 * Checks all that the app receives against the contract: the replies of `/api` and what comes over its socket, in every page
 * of every context of the browser. What a test answers in place of the server counts, too.
 */
export class WireCheck {
  /** Kinds of packets of the socket that were checked: names of events, and `join` for its acknowledgement. */
  readonly packets = new Set<string>();
  private readonly faults: string[] = [];
  private readonly expected: RegExp[] = [];
  private readonly reading: Promise<void>[] = [];
  private readonly appUrl: string;

  constructor(appUrl: string) {
    this.appUrl = appUrl;
  }

  /** Declares that a test answers what the contract doesn't allow, to show what the app makes of it. */
  expectFault(fault: RegExp): void {
    this.expected.push(fault);
  }

  /** @returns ends it */
  watch(browser: Browser): () => void {
    browser.on('context', this.onContext);
    return () => browser.off('context', this.onContext);
  }

  /** @returns faults that no test expected, and expected faults that were not found */
  async result(): Promise<{ unexpected: string[]; missing: string[] }> {
    await Promise.all(this.reading);
    return {
      unexpected: this.faults.filter((fault) => !this.expected.some((one) => one.test(fault))),
      missing: this.expected.filter((one) => !this.faults.some((fault) => one.test(fault))).map(String),
    };
  }

  private readonly onContext = (context: BrowserContext): void => {
    context.on('response', (response) => void this.reading.push(this.checkReply(response)));
    context.on('page', (page) => this.onPage(page));
  };

  private onPage(page: Page): void {
    page.on('websocket', (socket) => {
      if (!this.isOurs(socket.url().replace(/^ws/, 'http'), '/socket.io/')) return;
      socket.on('framereceived', ({ payload }) => this.checkFrame(String(payload)));
    });
  }

  private isOurs(address: string, path: string): boolean {
    const { origin, pathname } = new URL(address);
    return origin === new URL(this.appUrl).origin && pathname.startsWith(path);
  }

  private async checkReply(response: Response): Promise<void> {
    // Pictures and videos are files: the app's client gets the others.
    const isCall = ['fetch', 'xhr'].includes(response.request().resourceType());
    if (!isCall || !this.isOurs(response.url(), '/api/')) return;
    // The browser forgets the body of a reply when its page is left.
    const body = await response.text().catch(() => undefined);
    if (body === undefined) return;
    this.note(replyMismatch(response.request().method(), new URL(response.url()).pathname, response.status(), body));
  }

  private checkFrame(frame: string): void {
    const [, type, , json] = PACKET.exec(frame) ?? [];
    if (json === undefined) return;
    const [first, payload] = JSON.parse(json) as unknown[];
    this.packets.add(type === '3' ? 'join' : String(first));
    this.note(type === '3' ? joinMismatch(first) : eventMismatch(String(first), payload));
  }

  private note(fault: string | undefined): void {
    if (fault !== undefined) this.faults.push(fault);
  }
}
