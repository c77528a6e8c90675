export { AgentSelect } from "./AgentSelect";
export { Filters } from "./Filters";
export { NoAgent } from "./NoAgent";
export { SpanSelect } from "./SpanSelect";
export { TypedField } from "./TypedField";
export { useAgent } from "./useAgent";
