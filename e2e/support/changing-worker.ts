import { AppProxy } from './app-proxy.ts';

const WORKER_PATH = '/service-worker.js';

/** The app at another address, whose service worker can change as if a new build were released. */
export class ChangingWorker extends AppProxy {
  /** Number of requests for the service worker. */
  workerRequests = 0;
  /** Script that runs before the service worker's own. */
  prelude = '';
  private release = 0;

  /** From now on the service worker is that of another build. */
  releaseBuild(): void {
    this.release += 1;
  }

  protected override additionTo(path: string): { before: string; after: string } | undefined {
    if (path !== WORKER_PATH) return undefined;
    this.workerRequests += 1;
    return { before: this.prelude, after: `\n// build ${this.release}` };
  }
}
