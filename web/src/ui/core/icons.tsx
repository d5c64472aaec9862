import type { ReactNode } from 'react';

export type IconProps = { className?: string };
export type Icon = (props: IconProps) => ReactNode;

/**
 * Creates an icon of 24 × 24 with strokes of 1.7, round ends, and at most one solid accent. Icons are hidden from
 * screen readers; a button with only an icon needs a label.
 * @param strokes path data, stroked
 * @param solid path data, filled
 */
export function icon(strokes: string, solid?: string): Icon {
  return function IconShape({ className = 'size-6' }) {
    return (
      <svg viewBox="0 0 24 24" fill="none" className={`shrink-0 ${className}`} aria-hidden="true">
        <path d={strokes} stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" />
        {solid && <path d={solid} fill="currentColor" />}
      </svg>
    );
  };
}

/** Icons in the entry script, for the first screens. */
export const HomeIcon = icon('M4 11.2 12 4l8 7.2M6 9.6V20h12V9.6M10 20v-5.5h4V20');
export const UserIcon = icon('M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20.5c.6-3.9 3.6-6 7.5-6s6.9 2.1 7.5 6');
export const UserAddIcon = icon(
  'M10 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM3 20.5c.6-3.9 3.3-6 7-6 1.6 0 3 .4 4.2 1.100M18 14.500v6M15 17.500h6',
);
export const GuideIcon = icon(
  'M4 5.500c2.6-1 5.4-.8 8 .8v13.200c-2.6-1.6-5.4-1.8-8-.8ZM20 5.500c-2.6-1-5.4-.8-8 .8v13.200c2.6-1.6 5.4-1.8 8-.8Z',
);
export const ContactIcon = icon(
  'M4 12a8 8 0 0 1 16 0v4.500a2.5 2.5 0 0 1-2.5 2.500H13M4 12.500h1.500A1.5 1.5 0 0 1 7 14v2.500A1.5 1.5 0 0 1 5.5 18 1.5 1.5 0 0 1 4 16.500ZM20 12.500h-1.500A1.5 1.5 0 0 0 17 14v2.500a1.5 1.5 0 0 0 1.5 1.5',
);
export const LanguageIcon = icon(
  'M12 20.500a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM3.8 9.500h16.400M3.8 14.500h16.400M12 3.500c2.5 2.3 3.6 5.2 3.6 8.500s-1.1 6.2-3.6 8.500c-2.5-2.3-3.6-5.2-3.6-8.500s1.1-6.2 3.6-8.500Z',
);
export const EyeIcon = icon(
  'M2.5 12C5 7.7 8.2 5.5 12 5.500s7 2.2 9.5 6.500c-2.5 4.3-5.7 6.5-9.5 6.500S5 16.3 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
);
export const EyeOffIcon = icon(
  'M4 4l16 16M9.9 5.700c.7-.1 1.4-.2 2.1-.2 3.8 0 7 2.2 9.5 6.5-.8 1.4-1.7 2.6-2.7 3.600M6.4 7.200C4.9 8.4 3.6 10 2.5 12c2.5 4.3 5.7 6.5 9.5 6.5 1.7 0 3.3-.4 4.8-1.300M10 10a3 3 0 0 0 4 4',
);
export const CloseIcon = icon('M6 6l12 12M18 6 6 18');
export const ChevronDownIcon = icon('m6 9.5 6 6 6-6');
export const ChevronLeftIcon = icon('m14.5 6-6 6 6 6');
export const ChevronRightIcon = icon('m9.5 6 6 6-6 6');
export const CheckIcon = icon('m5 12.5 4.5 4.500L19 7.5');
export const WarningIcon = icon('M12 4 2.8 20h18.400ZM12 10v4.5', 'M12 18.200a1 1 0 1 0 0-2 1 1 0 0 0 0 2Z');
export const InfoIcon = icon(
  'M12 20.500a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 11v5.5',
  'M12 8.900a1.050 1.050 0 1 0 0-2.1 1.050 1.050 0 0 0 0 2.100Z',
);
export const OfflineIcon = icon(
  'M4 4l16 16M8.5 16.200a5 5 0 0 1 6.5-.3M5 12.500a10 10 0 0 1 4.2-2.300M12.8 9.700a10 10 0 0 1 6.2 2.800M2.5 8.700a14 14 0 0 1 3-2M9.5 5.300a14 14 0 0 1 12 3.4',
  'M12 20.300a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.400Z',
);
export const PhoneIcon = icon(
  'M8 3.500h8a1.5 1.5 0 0 1 1.5 1.500v14a1.5 1.5 0 0 1-1.5 1.500H8A1.5 1.5 0 0 1 6.5 19V5A1.5 1.5 0 0 1 8 3.500ZM10.5 17.500h3',
);
export const LockIcon = icon('M6 11h12v9.500H6ZM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.800v2');
export const CopyIcon = icon('M8.5 8.500h11v12h-11ZM15.5 8.500v-5h-11v12h4');
export const ShareIcon = icon('M12 15V3.500M8 7.200l4-3.700 4 3.700M7 11H5v9.500h14V11h-2');
