import type { Language } from '@krapao/contract/languages';
import type { Variant } from '@krapao/contract/rules';
import type { Namespace } from '@krapao/phrases/catalogue';
import { prerender } from 'react-dom/static';
import { queryClient } from './api/query/query.ts';
import { App } from './app.tsx';
import { i18n, onMissing, loadNamespaces } from './i18n/i18n.ts';
import { applyLanguage } from './i18n/language.ts';
import { routeTable } from './routes.tsx';
import { prepare, setScreen, namespacesOf } from './routing/router.ts';
import { setVariant } from './shell/variant.ts';

/**
 * A page as html with the texts that it was rendered with. Rendered one at a time: language and screen are module
 * state.
 */
export type PrerenderedPage = { html: string; title: string; words: Partial<Record<Namespace, object>> };

function fail(failure: unknown): never {
  throw failure;
}
// A missing text fails the build.
onMissing(fail);

/** Renders the initial view of a page, without data. Runs in Node at build time. */
export async function renderPage(path: string, language: Language, variant: Variant): Promise<PrerenderedPage> {
  const route = [...routeTable.routes, routeTable.notFound].find((known) => known.path === path);
  if (!route) throw new Error(`no route ${path}`);
  setVariant(variant);
  const words = namespacesOf(route);
  await loadNamespaces(words, language);
  await applyLanguage(language);
  setScreen(await prepare(route, path, { ...routeTable, styles: async () => undefined }));
  const { prelude } = await prerender(<App />, { onError: fail });
  const html = await new Response(prelude as ReadableStream).text();
  // Its timers would keep the build process alive.
  queryClient.clear();
  const bundles = words.map((word) => [word, i18n.getResourceBundle(i18n.language, word) as object] as const);
  return { html, title: i18n.t(`common:title.${route.title}`), words: Object.fromEntries(bundles) };
}
