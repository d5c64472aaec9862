import type { CancelOutcome, Inquiry } from './port.ts';

/**
 * Cancels at a gateway without cancellation: after an inquiry, an unpaid code is cancelled on our side only. It can
 * still be paid and is then credited, because codes are watched after their end.
 */
export function cancelByInquiry({ status }: Inquiry): CancelOutcome {
  switch (status) {
    case 'WAITING':
    case 'CANCELLED':
      return 'CANCELLED';
    // Money was received, clear or not.
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
