import { join } from 'node:path';
import { createServer } from 'vite';

// Started by `npm run dev`: serves the app from its sources at the one URL that browsers open, and forwards API
// requests to API_PORT.

const { PORT = '3000', HOST = '127.0.0.1', API_PORT = '3001', VARIANT = 'th', PUBLIC_URL } = process.env;
const root = join(import.meta.dirname, '..');
const api = `http://127.0.0.1:${API_PORT}`;

const app = await createServer({
  root,
  configFile: join(root, 'vite.config.ts'),
  clearScreen: false,
  logLevel: 'warn',
  plugins: [
    {
      name: 'variant',
      transformIndexHtml: (html) => html.replace('data-variant="th"', `data-variant="${VARIANT}"`),
    },
  ],
  server: {
    port: Number(PORT),
    strictPort: true,
    host: HOST,
    allowedHosts: PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [],
    proxy: {
      '/api': api,
      '/health': api,
      '/metrics': api,
      '/openapi.json': api,
      '/socket.io': { target: api, ws: true },
    },
  },
});
await app.listen();
// The launcher waits for this message.
process.send?.({ ready: app.resolvedUrls });
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void app.close().then(() => process.exit(0)));
}
