export { type ListHandle, VirtualList, type VirtualListProps } from "./VirtualList";
