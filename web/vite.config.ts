import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { manifestOf } from './build/manifest.ts';

/**
 * A screen comes in seven to twelve files: small ones compress badly, and each costs a request, of which a browser makes six
 * at once. A module goes to the first group by priority that has it, with all that it imports; so a group that pages
 * without a session need must not import one of the members' groups.
 */
const groups = [
  // They change seldom.
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|wouter|regexparam)\/|rolldown.runtime/,
    priority: 3,
  },
  // What every first screen needs.
  {
    name: 'shell',
    test: /web\/src\/(i18n|routing|connection|storage|variant|brand|random-id|fonts-ready|layouts\/(public-|frame|menu-|language-|use-|site-)|api\/(call|failure|log-failure|pending|session|use-lookup)|shared\/(account|errors\/(failure-text|error-boundary))|ui\/(button|card|icon-button|form\/(capitals-|checkbox|field|form-failure|password|select|text-input|use-draft)|overlay\/(modal-stack|toast|offline-banner|loader|back-stack)|state\/(spinner|use-delayed)|use-hydrated|icons\/(icon|shell-)|art\/logo))|contract\/src\/(?!fair-draw|chat-text)/,
    priority: 2,
  },
  // What pages show in place of data or around it, with and without a session.
  {
    name: 'states',
    test: /web\/src\/ui\/(icons\/member-|state\/(skeleton|empty-|error-)|art\/empty-|text\/safe-|pagination)/,
    priority: 2,
  },
  // What every page of a member needs.
  {
    name: 'member',
    test: /node_modules\/@tanstack\/|web\/src\/(layouts\/member-|api\/(query|use-paged|member-events)|shared\/(incentive\/ended-|wallet\/|withdraw\/)|screens\/load-dialogs|features\/game\/launch\/leaving|format\/(number|date)|ui\/(icons\/game-|text\/amount))/,
    priority: 1,
  },
  { name: 'cards', test: /web\/src\/ui\/(carousel\/(use-|carousel-|turn-)|art\/(game-|picture-))/, priority: 1 },
  { name: 'offers', test: /web\/src\/(ui\/art\/gift-|shared\/incentive\/|api\/use-idempotency-key)/, priority: 1 },
  { name: 'spinwheel', test: /features\/spinwheel\/(use-spin|coupon\/prize-words)/, priority: 1 },
  // What else two pages or dialogs share, as long as it needs no session.
  {
    name: 'parts',
    test: /web\/src\/(ui\/(?!carousel|art)|format|shared\/errors|api\/upload|[\w-]+\.ts$)/,
    minShareCount: 2,
  },
];

/** The oldest browsers that the app runs in (README); `newer-than-supported.json` lists what they lack. */
const SUPPORTED = ['safari16.4', 'chrome111', 'firefox128'];

const pwa = VitePWA({
  strategies: 'injectManifest',
  srcDir: 'src',
  filename: 'service-worker.ts',
  injectRegister: null,
  injectManifest: { globPatterns: ['assets/**/*'], maximumFileSizeToCacheInBytes: 1_000_000 },
  manifest: manifestOf('th'),
});

export default defineConfig(({ isSsrBuild }) => ({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), ...(isSsrBuild ? [] : [pwa])],
  json: { stringify: true },
  build: {
    target: SUPPORTED,
    manifest: true,
    sourcemap: false,
    // The content security policy has no place for inlined scripts; small images may stay in the style sheet.
    assetsInlineLimit: (file) => (file.endsWith('.svg') ? undefined : false),
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
    ...(!isSsrBuild && { rolldownOptions: { output: { codeSplitting: { groups } } } }),
  },
  server: { fs: { allow: ['..'] } },
}));
