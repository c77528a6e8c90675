export { BodyView, type BodyViewProps } from "./BodyView";
export { bodyFileName } from "./fileName";
export type { BodySource } from "./protocol";
