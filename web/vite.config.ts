import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { manifestOf } from './build/manifest.ts';

/**
 * What every first screen needs comes in two files instead of thirty small ones: the libraries, which change seldom, and
 * the shell; what every page of a member needs, in one more. Small files compress badly and each costs a request, of
 * which a browser makes six at once.
 */
const groups = [
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|wouter|regexparam)\/|rolldown.runtime/,
    priority: 3,
  },
  {
    name: 'shell',
    test: /web\/src\/(i18n|routing|storage|variant|brand|random-id|fonts-ready|layouts\/(public-|frame|menu-|language-|use-|site-)|api\/(call|failure|pending|session|use-lookup)|shared\/(account|errors\/failure-text)|ui\/(button|card|icon-button|form\/(checkbox|field|form-failure|password|select|text-input)|overlay\/(modal-stack|toast|offline-banner|loader|back-stack)|state\/(spinner|use-delayed)|use-hydrated|icons\/(icon|shell-)|art\/logo))|contract\/src\/(?!fair-draw|chat-text)/,
    priority: 2,
  },
  {
    name: 'member',
    test: /node_modules\/@tanstack\/|web\/src\/(layouts\/member-|api\/(query|member-events|log-failure)|shared\/(incentive\/ended-|wallet\/|withdraw\/)|screens\/load-deposit|features\/game\/launch\/leaving|format\/(number|date)|ui\/(icons\/game-|text\/amount))/,
    priority: 1,
  },
  {
    name: 'states',
    test: /web\/src\/ui\/(icons\/member-|state\/(skeleton|empty-|error-)|art\/empty-)/,
    priority: 2,
  },
  { name: 'cards', test: /web\/src\/ui\/(carousel\/(use-|carousel-)|art\/(game-|picture-))/, priority: 1 },
];

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
    target: 'es2022',
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
