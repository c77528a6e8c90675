export { More } from "./More";
export { type Column, Table } from "./Table";
