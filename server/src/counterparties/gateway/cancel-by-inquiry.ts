import type { CancelOutcome, Inquiry } from './port.ts';

/**
 * What cancelling comes to at a gateway that can't: asked once more, a code that nobody has paid is put away here. It can
 * still be paid, and then it is credited, for a code stays watched after its end.
 */
export function cancelByInquiry({ status }: Inquiry): CancelOutcome {
  switch (status) {
    case 'WAITING':
    case 'CANCELLED':
      return 'CANCELLED';
    // Money came, clear or not.
    case 'PAID':
    case 'ON_HOLD':
    case 'UNUSABLE':
      return 'ALREADY_PAID';
    case 'EXPIRED':
    case 'NOT_FOUND':
    case 'UNKNOWN':
      return status;
  }
}
