import { join } from 'node:path';
import { createServer } from 'vite';

// Development server, started by `npm run dev`. Serves the app from its sources and forwards API requests to API_PORT,
// so that browsers use a single origin.

const { PORT = '3000', HOST = '127.0.0.1', API_PORT = '3001', VARIANT = 'th', PUBLIC_URL } = process.env;
const root = join(import.meta.dirname, '..');
const apiUrl = `http://127.0.0.1:${API_PORT}`;

const devServer = await createServer({
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
      '/api': apiUrl,
      '/health': apiUrl,
      '/metrics': apiUrl,
      '/openapi.json': apiUrl,
      '/socket.io': { target: apiUrl, ws: true },
    },
  },
});
await devServer.listen();
// `npm run dev` waits for this message.
process.send?.({ ready: devServer.resolvedUrls });
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void devServer.close().then(() => process.exit(0)));
}
