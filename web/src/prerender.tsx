import type { Language } from '@krapao/contract/languages';
import type { Variant } from '@krapao/contract/rules';
import type { Namespace } from '@krapao/phrases/catalogue';
import { prerender } from 'react-dom/static';
import { queryClient } from './api/query/query.ts';
import { App } from './app.tsx';
import { setVariant } from './browser/variant.ts';
import { i18n, onMissing, loadNamespaces } from './i18n/i18n.ts';
import { applyLanguage } from './i18n/language.ts';
import { routeTable } from './routes.tsx';
import { loadScreen, setScreen, namespacesOf } from './routing/router.ts';

/**
 * A rendered page: its HTML and the texts used by it. Pages are rendered one at a time because language and screen are
 * module state.
 */
export type PrerenderedPage = { html: string; title: string; words: Partial<Record<Namespace, object>> };

function rethrow(failure: unknown): never {
  throw failure;
}
// A missing text aborts the build.
onMissing(rethrow);

/** Renders the initial view of a page without data. Runs in Node at build time. */
export async function renderPage(path: string, language: Language, variant: Variant): Promise<PrerenderedPage> {
  const route = [...routeTable.routes, routeTable.notFound].find((candidate) => candidate.path === path);
  if (!route) throw new Error(`no route ${path}`);
  setVariant(variant);
  const namespaces = namespacesOf(route);
  await loadNamespaces(namespaces, language);
  await applyLanguage(language);
  setScreen(await loadScreen(route, path, { ...routeTable, styles: async () => undefined }));
  const { prelude } = await prerender(<App />, { onError: rethrow });
  const html = await new Response(prelude as ReadableStream).text();
  // Timers of the query client would keep the build process running.
  queryClient.clear();
  const textsByNamespace = namespaces.map(
    (namespace) => [namespace, i18n.getResourceBundle(i18n.language, namespace) as object] as const,
  );
  return { html, title: i18n.t(`common:title.${route.title}`), words: Object.fromEntries(textsByNamespace) };
}
