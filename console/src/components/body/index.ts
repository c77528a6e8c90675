export { BodyView, type BodyViewProps } from "./BodyView";
export type { BodySource } from "./protocol";
