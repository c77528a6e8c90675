import type { ReactNode } from "react";

// Shapes differ, so that nothing is told by colour alone.
const SHAPES = {
  check: "M3.5 8.5l3 3 6-7",
  cross: "M4 4l8 8M12 4l-8 8",
  warning: "M8 2.5l6 11H2zM8 6.5v3.5M8 11.6v.4",
  dot: "M8 8m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  empty: "M8 8m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M4.5 11.5l7-7",
  play: "M5 3.5l7 4.5-7 4.5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  link: "M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7",
  down: "M8 3v9M4 8.5l4 4 4-4",
  chevron: "M6 3.5l4.5 4.5L6 12.5",
  search: "M7 7m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10 10l3.5 3.5",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  sun: "M8 8m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M12.5 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6 6.5z",
  screen: "M2.5 3.5h11v7h-11zM6 13.5h4",
  model: "M8 2l5 3v6l-5 3-5-3V5z",
  tool: "M9.5 6.5l-6 6M13 4.5a3 3 0 0 1-4 3l-.5-.5-.5-.5a3 3 0 0 1 3.5-3.5L10 4.5l1.5 1.5z",
  message: "M2.5 3.5h11v7H7l-3 2.5v-2.5H2.5z",
  shield: "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z",
  flag: "M4 14V3h8l-2 2.75L12 8.5H4",
  prompt: "M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3",
  pen: "M3 13l1-3 7-7 2 2-7 7z",
  clock: "M8 8m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M8 5v3l2 1.5",
  key: "M6 10m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M8 8l5-5M11 5l2 2",
} as const;

export type IconName = keyof typeof SHAPES;

/** A small picture beside a word; hidden from screen readers, which read the word. */
export function Icon({ name, size = 14 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill={name === "dot" || name === "play" ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
