import { Link, useRouter } from "@tanstack/react-router";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";

import { BASE } from "../../base";
import { useFindings } from "../../api/integrity";
import { logOut } from "../../api/session";
import type { Session } from "../../api/types";
import { zoneName } from "../../lib/format";
import { useKeys } from "../../lib/keyboard";
import { changeSettings, type ThemeChoice, useSettings } from "../../lib/settings";
import { Button, Icon, type IconName } from "../ui";
import { cx } from "../../lib/cx";
import { Footer } from "./Footer";
import { KeyHelp } from "./KeyHelp";
import s from "./layout.module.css";
import { LiveBadge } from "./LiveBadge";
import { NavMark } from "./NavMark";
import { PAGES } from "./commands";
import { Palette } from "./Palette";
import { Toasts } from "./Toasts";

/** Id of the element that scrolls; lists that scroll with the page ask for it. */
export const MAIN = "main";

const NEXT_THEME: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: "light",
  light: "dark",
  dark: "system",
};
const THEME_ICON: Readonly<Record<ThemeChoice, IconName>> = { system: "screen", light: "sun", dark: "moon" };

/** Everything around a page. */
export function Shell({
  session,
  banner,
  children,
}: {
  session: Session;
  banner: ReactNode;
  children: ReactNode;
}): ReactNode {
  const { theme, zone } = useSettings();
  useFindings();
  const [opened, setOpened] = useState<"help" | "palette" | null>(null);
  const [navOpen, setNavOpen] = useState(false);
  const router = useRouter();
  const client = useQueryClient();
  const main = useRef<HTMLElement>(null);
  const go = (to: string) => () => void router.navigate({ to });
  useKeys({
    "?": () => {
      setOpened("help");
    },
    "Mod+k": () => {
      setOpened("palette");
    },
    "/": () => {
      const field = main.current?.querySelector<HTMLElement>("[data-search]");
      if (field) field.focus();
      else void router.navigate({ to: "/search" });
    },
    "g c": go("/"),
    "g a": go("/agents"),
    "g i": go("/integrity"),
    "g s": go("/search"),
  });
  const leave = (): void => {
    void logOut().finally(() => {
      client.clear();
    });
  };
  return (
    <div className={s.shell}>
      <header className={s.header}>
        <a
          className={s.skip}
          href={`#${MAIN}`}
          onClick={(event) => {
            event.preventDefault();
            main.current?.focus();
          }}
        >
          Skip to the page
        </a>
        <Link to="/" className={s.brand}>
          <img src={`${BASE}mark.svg`} alt="" width="24" height="24" />
          Turnledger
        </Link>
        <Button
          className={s.menuButton}
          aria-expanded={navOpen}
          aria-controls="pages"
          onClick={() => {
            setNavOpen(!navOpen);
          }}
        >
          <Icon name="menu" /> Pages
        </Button>
        <nav
          id="pages"
          aria-label="Pages"
          className={cx(s.nav, navOpen && s.navOpen)}
          onClick={() => {
            setNavOpen(false);
          }}
        >
          {PAGES.map(([to, word]) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === "/" || to === "/agents", includeSearch: false }}
            >
              {word}
              {to === "/integrity" && <NavMark />}
            </Link>
          ))}
        </nav>
        <div className={s.tools}>
          <LiveBadge />
          <Button
            small
            look="quiet"
            title={`Times are shown in ${zoneName(zone)}; press for the other zone`}
            onClick={() => {
              changeSettings({ zone: zone === "utc" ? "local" : "utc" });
            }}
          >
            <Icon name="clock" /> {zoneName(zone)}
          </Button>
          <Button
            small
            look="quiet"
            title={`Colours: ${theme}; press for the next`}
            onClick={() => {
              changeSettings({ theme: NEXT_THEME[theme] });
            }}
          >
            <Icon name={THEME_ICON[theme]} /> {theme}
          </Button>
          <Button
            small
            look="quiet"
            onClick={() => {
              setOpened("palette");
            }}
            title="Command palette (Ctrl-K)"
          >
            <Icon name="search" /> <kbd className={s.hint}>Ctrl K</kbd>
          </Button>
          <Button
            small
            look="quiet"
            onClick={() => {
              setOpened("help");
            }}
            aria-label="Keys"
          >
            ?
          </Button>
          <Button small look="quiet" onClick={leave} title={`Logged in as ${session.name}`}>
            {session.name} · log out
          </Button>
        </div>
      </header>
      <div>{banner}</div>
      <main id={MAIN} ref={main} className={s.main} tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Toasts />
      {opened === "help" && (
        <KeyHelp
          onClose={() => {
            setOpened(null);
          }}
        />
      )}
      {opened === "palette" && (
        <Palette
          onClose={() => {
            setOpened(null);
          }}
        />
      )}
    </div>
  );
}
