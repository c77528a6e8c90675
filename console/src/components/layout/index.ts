export { Page, type PageProps } from "./Page";
export { MAIN, Shell } from "./Shell";
