import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onReconnect } from '../../browser/connection.ts';
import { hasTabs } from '../../shared/open-tab.ts';
import { FileIcon, OpenIcon, VideoIcon } from '../../ui/chat-icons.tsx';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { ImageIcon } from '../../ui/deposit-icons.tsx';
import { Modal } from '../../ui/modal.tsx';
import { fileName } from './attachment.ts';
import { fileUrlOf, isLocalFile, LinkedText, externalLinkProps } from './message-text.tsx';

type MediaPayload = Extract<CustomerMessage, { message_type: 'media' }>['payload'];

export type MessageMediaProps = {
  media: MediaPayload;
  /** Overlay shown during the upload. */
  progress: ReactNode;
  /** Reloads the message after the URL of its file has expired. */
  reloadMessage: () => Promise<unknown>;
};

/** An image, a video or a file, with its text. */
export function MessageMedia({ media, progress, reloadMessage }: MessageMediaProps) {
  const MediaComponent = { image: MediaImage, video: MediaVideo, file: FileLink }[media.fileType];
  return (
    <div className="grid gap-1.5">
      <div className="relative w-60 max-w-full overflow-clip rounded-md">
        <MediaComponent media={media} reloadMessage={reloadMessage} />
        {progress}
      </div>
      {media.message !== '' && <LinkedText text={media.message} className="px-2 pb-0.5" />}
    </div>
  );
}

type MediaViewProps = Pick<MessageMediaProps, 'media' | 'reloadMessage'>;

/** Aspect ratio reserved before an image or video loads, so that nothing moves. */
const boxClasses = { image: 'aspect-4/3', video: 'aspect-video' } as const;

function MediaImage({ media, reloadMessage }: MediaViewProps) {
  const { t } = useTranslation('chat');
  const { fileUrl, attempt, hasFailed, onError, retry } = useMediaUrl(media.url, reloadMessage);
  const [isEnlarged, setEnlarged] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  const revokePrevious = useRevokePreviousUrl(fileUrl);
  if (!fileUrl || hasFailed) return <MediaUnavailable kind="image" onRetry={fileUrl ? retry : undefined} />;
  const name = media.message || t('media.picture');
  return (
    <>
      <button
        type="button"
        aria-label={t('media.openPicture', { name })}
        aria-haspopup="dialog"
        onClick={() => setEnlarged(true)}
        className={`relative block w-full bg-well ${boxClasses.image}`}
      >
        {!isLoaded && <Skeleton className="absolute inset-0 size-full" />}
        <img
          key={attempt}
          src={fileUrl}
          alt=""
          decoding="async"
          referrerPolicy="no-referrer"
          onLoad={() => {
            setLoaded(true);
            revokePrevious();
          }}
          onError={onError}
          className="absolute inset-0 size-full object-cover"
        />
      </button>
      {isEnlarged && <ImageModal fileUrl={fileUrl} name={name} onClose={() => setEnlarged(false)} />}
    </>
  );
}

/** Pauses a video when it is removed, because it would keep playing. */
const pauseWhenRemoved = (video: HTMLVideoElement): (() => void) => {
  return () => video.pause();
};

function MediaVideo({ media, reloadMessage }: MediaViewProps) {
  const { t } = useTranslation('chat');
  const { fileUrl, attempt, hasFailed, onError, retry } = useMediaUrl(media.url, reloadMessage);
  const revokePrevious = useRevokePreviousUrl(fileUrl);
  if (!fileUrl || hasFailed) return <MediaUnavailable kind="video" onRetry={fileUrl ? retry : undefined} />;
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send one another has no captions
    <video
      ref={pauseWhenRemoved}
      key={attempt}
      src={fileUrl}
      controls
      playsInline
      preload="metadata"
      aria-label={media.message || t('media.video')}
      onLoadedMetadata={revokePrevious}
      onError={onError}
      className={`block w-full bg-well object-contain ${boxClasses.video}`}
    />
  );
}

function FileLink({ media }: MediaViewProps) {
  const { t } = useTranslation('chat');
  const { fileUrl } = useMediaUrl(media.url, () => Promise.resolve());
  const name = fileName(media.filePath) || fileName(media.url) || t('media.file');
  if (!fileUrl) return <MediaUnavailable kind="file" onRetry={undefined} />;
  return (
    <a
      href={fileUrl}
      {...externalLinkProps}
      className="flex min-h-14 items-center gap-3 bg-well px-3 py-2 text-sm ring-1 ring-line ring-inset hover:bg-raised"
    >
      <FileIcon className="size-7 text-gold" />
      <span className="min-w-0">
        <span dir="auto" className="block truncate font-semibold">
          {name}
        </span>
        <span className="text-xs text-faint">{t('media.openFile')}</span>
      </span>
    </a>
  );
}

/** Placeholder of a file that no longer exists (`onRetry` undefined) or failed to load. */
function MediaUnavailable({ kind, onRetry }: { kind: MediaPayload['fileType']; onRetry: (() => void) | undefined }) {
  const { t } = useTranslation('chat');
  const Icon = { image: ImageIcon, video: VideoIcon, file: FileIcon }[kind];
  return (
    <div
      className={`flex flex-col items-center justify-center gap-1 bg-well p-3 text-center text-sm text-faint ${kind === 'file' ? '' : boxClasses[kind]}`}
    >
      <Icon className="size-8" />
      <p>{t(onRetry ? 'media.notLoaded' : 'media.gone')}</p>
      {onRetry && (
        <Button variant="plain" size="sm" onClick={onRetry}>
          {t('media.loadAgain')}
        </Button>
      )}
    </div>
  );
}

/** Returns a function that revokes the local object URL; called once the server's copy is displayed. */
function useRevokePreviousUrl(url: string | undefined): () => void {
  const previousUrl = useRef<string>(undefined);
  return () => {
    if (previousUrl.current && previousUrl.current !== url && isLocalFile(previousUrl.current))
      URL.revokeObjectURL(previousUrl.current);
    previousUrl.current = url;
  };
}

/** State after a load failure. `asking`: a new URL is being requested; `failed`: loading has finally failed. */
type LoadFailure = { url: string; state: 'asking' | 'failed' };

/**
 * URL of a file, with retry. File URLs expire, so a new one is requested once automatically, and later only by a press.
 * @param reloadMessage reloads the message, whose new URL then arrives as `url`
 */
export function useMediaUrl(url: string, reloadMessage: () => Promise<unknown>) {
  const [loadFailure, setLoadFailure] = useState<LoadFailure>();
  /** Number of retries; as a React key it makes the browser load the same URL again. */
  const [attempt, setAttempt] = useState(0);
  const fileUrl = fileUrlOf(url);
  const loadState = loadFailure?.url === url ? loadFailure.state : undefined;
  const requestNewUrl = async (): Promise<void> => {
    setLoadFailure({ url, state: 'asking' });
    // If no new URL arrives, loading has finally failed.
    await reloadMessage().catch(() => undefined);
    setLoadFailure((previous) => (previous?.url === url ? { url, state: 'failed' } : previous));
  };
  const hasFailed = loadState === 'failed';
  const retry = useCallback((): void => {
    setLoadFailure(undefined);
    setAttempt((count) => count + 1);
  }, []);
  // Retries after a reconnection.
  useEffect(() => {
    if (!hasFailed) return undefined;
    return onReconnect(retry);
  }, [hasFailed, retry]);
  return { fileUrl, attempt, hasFailed, onError: () => void (loadState === undefined && requestNewUrl()), retry };
}

/** An image in the largest size that fits the screen. */
export function ImageModal({ fileUrl, name, onClose }: { fileUrl: string; name: string; onClose: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <Modal
      open
      onClose={onClose}
      title={t('media.picture')}
      size="lg"
      footer={
        !isLocalFile(fileUrl) &&
        hasTabs() && (
          <a href={fileUrl} {...externalLinkProps} className={buttonClass('quiet', 'sm', true)}>
            <OpenIcon className="size-5" />
            {t('media.openAlone')}
          </a>
        )
      }
    >
      <img
        src={fileUrl}
        alt={name}
        referrerPolicy="no-referrer"
        className="-mx-5 -my-4 block h-[70dvh] w-[calc(100%+2.5rem)] max-w-none bg-well object-contain"
      />
    </Modal>
  );
}
