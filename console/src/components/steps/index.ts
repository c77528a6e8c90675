export { ArgumentDifference } from "./ArgumentDifference";
export { Flags, flagsOf } from "./Flags";
export { MessageText } from "./MessageText";
export { RequestView } from "./RequestView";
