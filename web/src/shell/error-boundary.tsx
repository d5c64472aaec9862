import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { logFailure } from '../api/errors.ts';
import { clearOperatorData } from '../api/operator-data.ts';
import { storedToken } from '../api/session.ts';
import { ErrorState } from '../ui/data/error-state.tsx';

type BoundaryProps = {
  /** Name of the section for the log. */
  sectionName: string;
  /** @param retry renders again with new replies; @param reset renders again with the cached replies */
  fallback: (retry: () => void, reset: () => void) => ReactNode;
  children: ReactNode;
};

/** Renders `fallback` instead of children that throw while rendering. The rest of the page keeps working. */
export class ErrorBoundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(failure: unknown): void {
    logFailure(`${this.props.sectionName} could not be rendered`, failure);
  }

  /** Renders again after clearing cached replies, because a reply may have caused the error. */
  private readonly retry = (): void => {
    void clearCachedReplies().then(this.reset);
  };

  private readonly reset = (): void => this.setState({ hasFailed: false });

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback(this.retry, this.reset) : this.props.children;
  }
}

/** Imports the query library dynamically: pages without a session don't need it. */
async function clearCachedReplies(): Promise<void> {
  clearOperatorData();
  if (storedToken() === null) return;
  const { queryClient } = await import('../api/query/query.ts').catch(() => ({ queryClient: undefined }));
  void queryClient?.resetQueries();
}

export type SectionBoundaryProps = { sectionName: string; children: ReactNode };

/** Error boundary of a page or section: shows the error, a note about the money, and a retry button. */
export function SectionBoundary({ sectionName, children }: SectionBoundaryProps) {
  return (
    <ErrorBoundary sectionName={sectionName} fallback={(retry) => <SectionError onRetry={retry} />}>
      {children}
    </ErrorBoundary>
  );
}

function SectionError({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation('common');
  return <ErrorState title={t('broken.part')} money={storedToken() !== null && t('broken.money')} onRetry={onRetry} />;
}
