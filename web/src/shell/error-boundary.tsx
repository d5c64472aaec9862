import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { logFailure } from '../api/errors.ts';
import { clearLookups } from '../api/lookup.ts';
import { storedToken } from '../api/session.ts';
import { ErrorState } from '../ui/data/error-state.tsx';

type BoundaryProps = {
  /** What could not be rendered, for the log. */
  part: string;
  /** @param retry renders again with fresh replies; @param reset renders again as it is */
  fallback: (retry: () => void, reset: () => void) => ReactNode;
  children: ReactNode;
};

/** Shows `fallback` instead of `children` that throw while rendering; the rest of the page works. */
export class ErrorBoundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(failure: unknown): void {
    logFailure(`${this.props.part} could not be rendered`, failure);
  }

  /** Renders again with fresh replies, because a cached reply may be the cause. */
  private readonly retry = (): void => {
    void clearReplies().then(this.reset);
  };

  private readonly reset = (): void => this.setState({ hasFailed: false });

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback(this.retry, this.reset) : this.props.children;
  }
}

/** Pages without a session never load the query library. */
async function clearReplies(): Promise<void> {
  clearLookups();
  if (storedToken() === null) return;
  const { queryClient } = await import('../api/query/query.ts').catch(() => ({ queryClient: undefined }));
  void queryClient?.resetQueries();
}

export type SectionBoundaryProps = { part: string; children: ReactNode };

/** Error boundary of a page or a section: shows the error, a note about the money, and a retry button. */
export function SectionBoundary({ part, children }: SectionBoundaryProps) {
  return (
    <ErrorBoundary part={part} fallback={(retry) => <PartError onRetry={retry} />}>
      {children}
    </ErrorBoundary>
  );
}

function PartError({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation('common');
  return <ErrorState title={t('broken.part')} money={storedToken() !== null && t('broken.money')} onRetry={onRetry} />;
}
