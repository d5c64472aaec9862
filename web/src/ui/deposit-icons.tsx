import { icon } from './core/icons.tsx';

/** Icons of deposits. */
export const SlipIcon = icon(
  'M6.5 3.500h11v17l-2.200-1.400-1.650 1.400L12 19.100l-1.650 1.400-1.650-1.400-2.200 1.400ZM10 14.500h4M10 16.500h2',
  'M12 6.200a2.900 2.900 0 1 0 0 5.800 2.900 2.900 0 0 0 0-5.800Z',
);
export const CameraIcon = icon(
  'M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4ZM12 16.500a3.300 3.300 0 1 0 0-6.600 3.300 3.300 0 0 0 0 6.600Z',
);
export const ImageIcon = icon(
  'M4 5h16v14H4ZM4 16l4.500-4.500 4 4 2.500-2.500 5 4.500',
  'M15.500 10.200a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z',
);
export const GiftIcon = icon('M4 6.500h16v12H4ZM4 10l8 4.500 8-4.500M12 14.500v4');
