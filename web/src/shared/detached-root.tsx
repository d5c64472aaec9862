import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/query/query.ts';

/** Error boundaries log the errors that they catch. */
const options = { onCaughtError: () => undefined };

/** Renders beside the page, in a root of its own at the end of the body. @returns unmount function */
export function mountDetached(content: ReactNode): () => void {
  const container = document.createElement('div');
  document.body.append(container);
  const root = createRoot(container, options);
  root.render(<QueryClientProvider client={queryClient}>{content}</QueryClientProvider>);
  return () => {
    root.unmount();
    container.remove();
  };
}
