import { linearSchedule, type Schedule } from './optimizers.js';
export const scheduleKinds = ['linear', 'cosine', 'constant'] as const;
export type ScheduleKind = (typeof scheduleKinds)[number];
export const scheduleOf = (
  _kind: ScheduleKind,
  peak: number,
  { steps, warmup }: { steps: number; warmup: number },
): Schedule => linearSchedule(peak, { steps, warmup: Math.ceil(steps * warmup) });
