import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Engine, WINDOW } from './engine.ts';
import { start } from './processes.ts';

const LIBRARIES = '/usr/lib';

/** Path of the small browser that comes with WebKitGTK. */
function miniBrowser(): string {
  const found = readdirSync(LIBRARIES)
    .filter((name) => name.endsWith('-linux-gnu'))
    .flatMap((name) => readdirSync(join(LIBRARIES, name)).map((inner) => join(LIBRARIES, name, inner)))
    .findLast((path) => /\/webkit2?gtk-[\d.]+$/.test(path));
  if (!found) throw new Error('No WebKitGTK found. Install it (Debian: apt-get install webkit2gtk-driver).');
  return join(found, 'MiniBrowser');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** WebKitGTK's MiniBrowser in a display of its own, by WebDriver. */
export async function openWebKit(): Promise<Engine> {
  const display = await start(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    /^(\d+)\n/m,
  );
  const port = await freePort();
  const driver = await start('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], undefined, {
    DISPLAY: `:${display.said}`,
    GDK_BACKEND: 'x11',
    LIBGL_ALWAYS_SOFTWARE: '1',
    NO_AT_BRIDGE: '1',
  });
  const stop = async (): Promise<void> => {
    await driver.stop();
    await display.stop();
  };
  try {
    const url = `http://127.0.0.1:${port}/session`;
    const capabilities = {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: miniBrowser(), args: ['--automation'] } },
    };
    const { sessionId } = await command<{ sessionId: string }>('POST', url, { capabilities });
    return await engineOf(`${url}/${sessionId}`, stop);
  } catch (failure) {
    await stop();
    throw failure;
  }
}

async function engineOf(session: string, stop: () => Promise<void>): Promise<Engine> {
  await command('POST', `${session}/window/rect`, { x: 0, y: 0, ...WINDOW });
  return {
    open: (url) => command('POST', `${session}/url`, { url }),
    evaluate: async <T>(expression: string) => {
      // The script must not be async itself: its answer is the promise that the driver awaits.
      const script = `const done = arguments[0];
        Promise.resolve().then(() => (${expression})).then((value) => done(JSON.stringify([value ?? null])), (failure) => done('!' + failure));`;
      const answer = await command<string>('POST', `${session}/execute/async`, { script, args: [] });
      if (answer.startsWith('!')) throw new Error(answer.slice(1));
      return (JSON.parse(answer) as [T])[0];
    },
    perform: async (actions) => {
      await command('POST', `${session}/actions`, { actions });
    },
    screenshot: async () => Buffer.from(await command<string>('GET', `${session}/screenshot`), 'base64'),
    close: async () => {
      await command('DELETE', session).catch(() => undefined);
      await stop();
    },
  };
}

const CONNECT_TRIES = 100;

/** One command of WebDriver. @returns its value */
async function command<T = void>(method: string, url: string, body?: unknown, tries = CONNECT_TRIES): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  } catch (failure) {
    // The driver says nothing when it begins to listen.
    if (tries <= 1 || !url.endsWith('/session')) throw failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return command(method, url, body, tries - 1);
  }
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value.error ?? ''} ${value.message ?? ''}`);
  return value;
}
