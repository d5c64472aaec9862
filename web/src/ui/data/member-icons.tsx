import { icon } from '../core/icons.tsx';

/** Icons of the member pages. */
export const DepositIcon = icon(
  'M12 3.500v10M8 9.800l4 4 4-4M4 13.500v5.500a1.5 1.5 0 0 0 1.5 1.500h13A1.5 1.5 0 0 0 20 19v-5.5',
);
export const WithdrawIcon = icon(
  'M12 14V4M8 7.700l4-4 4 4M4 13.500v5.500a1.5 1.5 0 0 0 1.5 1.500h13A1.5 1.5 0 0 0 20 19v-5.5',
);
export const TransferIcon = icon('M4 8.500h15M15 4.500l4 4-4 4M20 15.500H5M9 11.500l-4 4 4 4');
export const SwapIcon = icon('M8 4v15M4.500 15.500 8 19l3.500-3.500M16 20V5M12.500 8.500 16 5l3.500 3.500');
export const SpinIcon = icon(
  'M12 20.500a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 3.500V10M12 14v6.500M3.5 12H10M14 12h6.500M6 6l4.6 4.600M13.4 13.4 18 18M18 6l-4.6 4.600M10.6 13.4 6 18',
  'M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
);
export const InviteIcon = icon(
  'M9 11.500a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 19.500c.5-3.4 3-5.2 6.5-5.200s6 1.8 6.5 5.200M15.5 4.900a3.5 3.5 0 0 1 0 6.300M17.5 14.900c2.2.6 3.6 2.2 4 4.6',
);
export const BonusIcon = icon(
  'M4 9.500h16V13H4ZM5.5 13v7.500h13V13M12 9.500v11M12 9.500C9 9.5 7 8.4 7 6.4 7 5 8 4 9.3 4 11 4 12 6 12 9.500ZM12 9.500c3 0 5-1.1 5-3.100C17 5 16 4 14.7 4 13 4 12 6 12 9.500Z',
);
export const RefreshIcon = icon(
  'M19.5 12A7.5 7.5 0 0 1 6.3 16.900M4.5 12A7.5 7.5 0 0 1 17.7 7.100M18.5 3.500v4h-4M5.5 20.500v-4h4',
);
export const StatementIcon = icon(
  'M6 3.500h12v17l-2.4-1.5-1.8 1.5-1.8-1.5-1.8 1.5-1.8-1.500L6 20.500ZM9 8h6M9 11.500h6M9 15h3.5',
);
export const ConditionsIcon = icon('M12 3.5 5 6v5.500c0 4.2 2.6 7.3 7 9 4.4-1.7 7-4.8 7-9V6ZM9 12l2.2 2.200L15.2 10');
export const LogoutIcon = icon(
  'M13.5 4.500H6A1.5 1.5 0 0 0 4.5 6v12A1.5 1.5 0 0 0 6 19.500h7.500M10 12h10M16.5 8.5 20 12l-3.5 3.5',
);
export const SlotIcon = icon(
  'M4 5h13v14H4ZM4 9.500h13M4 14.500h13M8.3 5v14M12.7 5v14M20 12V7.5',
  'M20 7.600a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.600Z',
);
export const SportIcon = icon(
  'M12 20.500a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 8.200l3.6 2.6-1.4 4.200H9.800L8.4 10.800ZM12 8.200V3.600M15.6 10.800l4.4-1.400M14.2 15l2.7 3.700M9.8 15l-2.7 3.700M8.4 10.8 4 9.4',
);
export const LottoIcon = icon(
  'M4 6.500h16v3.300a2.2 2.2 0 0 0 0 4.400v3.300H4v-3.300a2.2 2.2 0 0 0 0-4.400ZM9.5 6.500v11M13 10h3.500M13 14h3.5',
);
export const PlayIcon = icon('M7.5 4.500v15L19.5 12Z');
export const QrIcon = icon(
  'M4 4h6v6H4ZM14 4h6v6h-6ZM4 14h6v6H4ZM14 14h2.500v2.500H14ZM20 14v2M17.5 17.500H20V20M14 19.500V20',
  'M6.3 6.300h1.400v1.400H6.300ZM16.3 6.300h1.400v1.400h-1.400ZM6.3 16.300h1.400v1.400H6.300Z',
);
export const ClockIcon = icon('M12 20.500a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7v5.200l3.2 2');
export const KeyIcon = icon(
  'M8 15.500a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12.2 12.500l8.3 0M17 12.500v3.500M20 12.500v2.5',
  'M8 12.200a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.400Z',
);
export const BankIcon = icon(
  'M4 9.500 12 4.500l8 5ZM5.5 9.500v8M10 9.500v8M14 9.500v8M18.5 9.500v8M4 20h16M4.5 17.500h15',
);
export const RefundIcon = icon(
  'M8 8H4V4M4.600 8a8.5 8.500 0 1 1-1 5.500M12 16.200a4.200 4.200 0 1 0 0-8.400 4.200 4.200 0 0 0 0 8.400Z',
  'M12 13.700a1.700 1.700 0 1 0 0-3.400 1.700 1.700 0 0 0 0 3.400Z',
);

export const PencilIcon = icon(
  'M4.5 19.500l1-4.200L16 4.800a1.8 1.8 0 0 1 2.500 0l.7.7a1.8 1.8 0 0 1 0 2.500L8.700 18.500ZM14 6.800l3.200 3.200',
);

/** Icons of launch targets and game accounts. */
export const WebIcon = icon(
  'M12 20.500a8.500 8.500 0 1 0 0-17 8.500 8.500 0 0 0 0 17ZM3.500 12h17M12 3.500c2.400 2.300 3.600 5.100 3.600 8.500s-1.200 6.200-3.600 8.500c-2.400-2.300-3.600-5.100-3.600-8.500s1.200-6.200 3.600-8.500Z',
);
export const AndroidIcon = icon(
  'M4 17a8 8 0 0 1 16 0ZM7.300 9.600 5.500 6.500M16.700 9.600l1.800-3.100',
  'M9 14.600a1.100 1.100 0 1 0 0-2.200 1.100 1.100 0 0 0 0 2.200ZM15 14.600a1.100 1.100 0 1 0 0-2.200 1.100 1.100 0 0 0 0 2.200Z',
);
export const IosIcon = icon(
  'M8.500 3h7A1.500 1.500 0 0 1 17 4.500v15a1.500 1.500 0 0 1-1.500 1.500h-7A1.500 1.500 0 0 1 7 19.500v-15A1.500 1.500 0 0 1 8.500 3ZM10.500 5.500h3M11 18.500h2',
);
export const TicketIcon = icon(
  'M5 3.500h14v17l-2.300-1.600-2.400 1.600-2.300-1.600-2.300 1.600-2.400-1.600L5 20.500ZM8.500 8h7M8.500 11.500h7M8.500 15h3.500',
);
export const FilterIcon = icon('M4 6.500h16M7 12h10M10 17.500h4');
export const SearchIcon = icon('M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13ZM15.300 15.300 20 20');
const STAR = 'm12 4.200 2.400 5 5.500.700-4 3.800 1 5.500-4.900-2.700-4.900 2.700 1-5.500-4-3.800 5.500-.700Z';
export const StarIcon = icon(STAR, STAR);
export const StarOutlineIcon = icon(STAR);
