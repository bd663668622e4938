// Local times of this browser.
import type { Zone } from '#domain/plan/form-entries.ts';

const twoDigits = (n: number) => String(n).padStart(2, '0');

export const browserZone: Zone = {
  toMoment(local) {
    const time = new Date(local);
    return Number.isNaN(time.getTime()) ? null : time.toISOString();
  },
  toLocal(moment) {
    const time = new Date(moment);
    if (Number.isNaN(time.getTime())) return null;
    const day = [time.getFullYear(), time.getMonth() + 1, time.getDate()].map(twoDigits).join('-');
    return `${day}T${[time.getHours(), time.getMinutes()].map(twoDigits).join(':')}`;
  },
};
