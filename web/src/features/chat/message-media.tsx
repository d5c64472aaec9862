import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onReconnect } from '../../shell/connection.ts';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { ImageIcon } from '../../ui/deposit-icons.tsx';
import { FileIcon, OpenIcon, VideoIcon } from '../../ui/chat-icons.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { fileName } from './attachment.ts';
import { fileAddress, isHere, LinkedText, outward } from './message-text.tsx';
import { Modal } from '../../ui/modal.tsx';

type Media = Extract<CustomerMessage, { message_type: 'media' }>['payload'];

export type MessageMediaProps = {
  media: Media;
  /** Overlay during the upload. */
  progress: ReactNode;
  /** Reloads the message, because the URL of its file has expired. */
  renew: () => Promise<unknown>;
};

/** An image, a video or a file, with its text. */
export function MessageMedia({ media, progress, renew }: MessageMediaProps) {
  const Shown = { image: Picture, video: Video, file: FileLink }[media.fileType];
  return (
    <div className="grid gap-1.5">
      <div className="relative w-60 max-w-full overflow-clip rounded-md">
        <Shown media={media} renew={renew} />
        {progress}
      </div>
      {media.message !== '' && <LinkedText text={media.message} className="px-2 pb-0.5" />}
    </div>
  );
}

type ShownProps = Pick<MessageMediaProps, 'media' | 'renew'>;

/** Reserved size of an image before it loads, so that nothing moves. */
const boxes = { image: 'aspect-4/3', video: 'aspect-video' } as const;

function Picture({ media, renew }: ShownProps) {
  const { t } = useTranslation('chat');
  const { address, attempt, hasFailed, onError, again } = useMediaAddress(media.url, renew);
  const [isLarge, setLarge] = useState(false);
  const [isThere, setThere] = useState(false);
  const forget = useForget(address);
  if (!address || hasFailed) return <NotThere kind="image" onAgain={address ? again : undefined} />;
  const name = media.message || t('media.picture');
  return (
    <>
      <button
        type="button"
        aria-label={t('media.openPicture', { name })}
        aria-haspopup="dialog"
        onClick={() => setLarge(true)}
        className={`relative block w-full bg-well ${boxes.image}`}
      >
        {!isThere && <Skeleton className="absolute inset-0 size-full" />}
        <img
          key={attempt}
          src={address}
          alt=""
          decoding="async"
          referrerPolicy="no-referrer"
          onLoad={() => {
            setThere(true);
            forget();
          }}
          onError={onError}
          className="absolute inset-0 size-full object-cover"
        />
      </button>
      {isLarge && <ImageModal address={address} name={name} onClose={() => setLarge(false)} />}
    </>
  );
}

/** A removed video would keep playing. */
const pauseWhenGone = (video: HTMLVideoElement): (() => void) => {
  return () => video.pause();
};

function Video({ media, renew }: ShownProps) {
  const { t } = useTranslation('chat');
  const { address, attempt, hasFailed, onError, again } = useMediaAddress(media.url, renew);
  const forget = useForget(address);
  if (!address || hasFailed) return <NotThere kind="video" onAgain={address ? again : undefined} />;
  return (
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send one another has no captions
    <video
      ref={pauseWhenGone}
      key={attempt}
      src={address}
      controls
      playsInline
      preload="metadata"
      aria-label={media.message || t('media.video')}
      onLoadedMetadata={forget}
      onError={onError}
      className={`block w-full bg-well object-contain ${boxes.video}`}
    />
  );
}

function FileLink({ media }: ShownProps) {
  const { t } = useTranslation('chat');
  const { address } = useMediaAddress(media.url, () => Promise.resolve());
  const name = fileName(media.filePath) || fileName(media.url) || t('media.file');
  if (!address) return <NotThere kind="file" onAgain={undefined} />;
  return (
    <a
      href={address}
      {...outward}
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

/** Placeholder of a file that is gone (`onAgain` undefined) or failed to load. */
function NotThere({ kind, onAgain }: { kind: Media['fileType']; onAgain: (() => void) | undefined }) {
  const { t } = useTranslation('chat');
  const Icon = { image: ImageIcon, video: VideoIcon, file: FileIcon }[kind];
  return (
    <div
      className={`flex flex-col items-center justify-center gap-1 bg-well p-3 text-center text-sm text-faint ${kind === 'file' ? '' : boxes[kind]}`}
    >
      <Icon className="size-8" />
      <p>{t(onAgain ? 'media.notLoaded' : 'media.gone')}</p>
      {onAgain && (
        <Button variant="plain" size="sm" onClick={onAgain}>
          {t('media.loadAgain')}
        </Button>
      )}
    </div>
  );
}

/** Revokes a local object URL once the server's copy is shown. */
function useForget(address: string | undefined): () => void {
  const before = useRef<string>(undefined);
  return () => {
    if (before.current && before.current !== address && isHere(before.current)) URL.revokeObjectURL(before.current);
    before.current = address;
  };
}

/** `asking`: loading failed, a new URL is requested. `failed`: that one failed too. */
type Outcome = { address: string; step: 'asking' | 'failed' };

/**
 * URL of a file and its retry: file URLs expire, so a new one is requested once; later only by a press.
 * @param renew reloads the message; its result arrives as `url`
 */
export function useMediaAddress(url: string, renew: () => Promise<unknown>) {
  const [outcome, setOutcome] = useState<Outcome>();
  /** Counts presses, so that the same URL is loaded again. */
  const [attempt, setAttempt] = useState(0);
  const address = fileAddress(url);
  const step = outcome?.address === url ? outcome.step : undefined;
  const ask = async (): Promise<void> => {
    setOutcome({ address: url, step: 'asking' });
    // Without a new URL the current one has failed.
    await renew().catch(() => undefined);
    setOutcome((before) => (before?.address === url ? { address: url, step: 'failed' } : before));
  };
  const hasFailed = step === 'failed';
  const again = useCallback((): void => {
    setOutcome(undefined);
    setAttempt((count) => count + 1);
  }, []);
  // Retries what failed for lack of a connection.
  useEffect(() => {
    if (!hasFailed) return undefined;
    return onReconnect(again);
  }, [hasFailed, again]);
  return { address, attempt, hasFailed, onError: () => void (step === undefined && ask()), again };
}

/** An image as large as the screen allows. */
export function ImageModal({ address, name, onClose }: { address: string; name: string; onClose: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <Modal
      open
      onClose={onClose}
      title={t('media.picture')}
      size="lg"
      footer={
        !isHere(address) && (
          <a href={address} {...outward} className={buttonClass('quiet', 'sm', true)}>
            <OpenIcon className="size-5" />
            {t('media.openAlone')}
          </a>
        )
      }
    >
      <img
        src={address}
        alt={name}
        referrerPolicy="no-referrer"
        className="-mx-5 -my-4 block h-[70dvh] w-[calc(100%+2.5rem)] max-w-none bg-well object-contain"
      />
    </Modal>
  );
}
