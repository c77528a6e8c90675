export { AgentSelect } from "./AgentSelect";
export { Filters } from "./Filters";
export { SpanSelect } from "./SpanSelect";
export { TypedField } from "./TypedField";
