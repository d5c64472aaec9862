import type { HttpLimits } from '../http/limits/http-limits.ts';

/** The part of one of several processes in limits that hold for all together. */
export function shareOf(limits: HttpLimits, processes: number): HttpLimits {
  const part = (all: number): number => Math.ceil(all / processes);
  const { member, visitor } = limits.uploads;
  const lane = ({ slots, bytes }: typeof member) => ({ slots: part(slots), bytes: part(bytes) });
  return {
    ...limits,
    uploads: { member: lane(member), visitor: lane(visitor) },
    connectionsMax: part(limits.connectionsMax),
    connectionsPerAddress: part(limits.connectionsPerAddress),
  };
}
