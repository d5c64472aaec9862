import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { bundlerGroups } from './build/chunk-groups.ts';
import { manifestOf } from './build/manifest.ts';

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
    ...(!isSsrBuild && { rolldownOptions: { output: { codeSplitting: { groups: bundlerGroups } } } }),
  },
  server: { fs: { allow: ['..'] } },
}));
