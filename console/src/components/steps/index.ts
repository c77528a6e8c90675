export { ArgumentDifference } from "./ArgumentDifference";
export { MessageText } from "./MessageText";
export { RequestView } from "./RequestView";
