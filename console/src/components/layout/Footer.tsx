import type { ReactNode } from "react";

import { address } from "../../api/paths";
import { shownRequest } from "../../lib/shownRequest";
import { useStore } from "../../lib/store";
import { CopyButton } from "../ui";
import s from "./layout.module.css";

/** The request that rendered the page: whatever is shown here can be had without the console. */
export function Footer(): ReactNode {
  const path = useStore(shownRequest);
  return (
    <footer className={s.footer}>
      {path !== null && (
        <span>
          API:{" "}
          <a href={address(path)} target="_blank" rel="noreferrer">
            <code>GET {path}</code>
          </a>{" "}
          <CopyButton text={address(path)} what="the request" />
        </span>
      )}
      <a href={address("/openapi.json")} target="_blank" rel="noreferrer">
        API document
      </a>
    </footer>
  );
}
