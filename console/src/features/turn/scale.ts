// Time on a line where idle stretches are squeezed, so that they do not crush the rest.

export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Where it is drawn, in 0…1. */
  readonly left: number;
  readonly right: number;
  readonly idle: boolean;
}

/** The share of the busy time that one idle stretch takes at most. */
const IDLE_SHARE = 0.06;

/** Stretches from the first to the last moment, out of spans (start, end in ms) in any order. */
export function stretches(spans: readonly (readonly [number, number])[]): Stretch[] {
  const sorted = [...spans].sort((left, right) => left[0] - right[0]);
  const busy: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = busy.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else busy.push([from, Math.max(from, to)]);
  }
  const total = busy.reduce((sum, [from, to]) => sum + to - from, 0) || 1;
  const weighted: { from: number; to: number; weight: number; idle: boolean }[] = [];
  busy.forEach(([from, to], place) => {
    const before = busy[place - 1];
    if (before !== undefined) {
      const gap = from - before[1];
      weighted.push({ from: before[1], to: from, weight: Math.min(gap, total * IDLE_SHARE), idle: true });
    }
    weighted.push({ from, to, weight: to - from, idle: false });
  });
  const whole = weighted.reduce((sum, one) => sum + one.weight, 0) || 1;
  let at = 0;
  return weighted.map(({ from, to, weight, idle }) => {
    const left = at / whole;
    at += weight;
    return { from, to, left, right: at / whole, idle: idle && to - from > weight * 1.5 };
  });
}

/** Where a moment stands in 0…1. */
export function place(scale: readonly Stretch[], moment: number): number {
  for (const stretch of scale) {
    if (moment <= stretch.to) {
      const length = stretch.to - stretch.from;
      const share = length === 0 ? 0 : Math.max(0, moment - stretch.from) / length;
      return stretch.left + share * (stretch.right - stretch.left);
    }
  }
  return 1;
}
