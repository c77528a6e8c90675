import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect } from "react";

import { sessionQuery, useServerBack } from "./api/session";
import s from "./components/layout/layout.module.css";
import { Shell } from "./components/layout/Shell";
import { Failure, Loading } from "./components/ui";
import { SignIn } from "./features/session/SignIn";
import { fetchPages } from "./routes/fetchPages";

const IDLE_MS = 1000;

/** Nobody reads anything before they are logged in; afterwards the address they came for is shown. */
export function App(): ReactNode {
  const session = useQuery({
    ...sessionQuery,
    refetchInterval: (query) => (query.state.error?.passing === true ? 3000 : false),
    refetchOnReconnect: "always",
    // Somebody whose session ended may have logged in again in another tab.
    refetchOnWindowFocus: (query) => (query.state.error?.status === 401 ? "always" : false),
  });
  const client = useQueryClient();
  useServerBack(() => {
    void client.refetchQueries({ type: "active", predicate: (query) => query.state.status === "error" });
  });
  const isEnded = session.error?.status === 401;
  const router = useRouter();
  const isIn = session.data !== undefined && !isEnded;
  useEffect(() => {
    if (!isIn) return;
    const idle = setTimeout(() => void fetchPages(router), IDLE_MS);
    return () => {
      clearTimeout(idle);
    };
  }, [isIn, router]);
  if (isEnded) return <SignIn hadSession={session.data !== undefined} />;
  if (session.data === undefined) {
    return session.error === null ? (
      <Loading what="the console" />
    ) : (
      <Failure error={session.error} what="the console" onRetry={() => void session.refetch()} />
    );
  }
  const isCut = session.error?.passing === true;
  return (
    <Shell session={session.data} banner={isCut && <Cut />}>
      <Suspense fallback={<Loading what="this page" />}>
        <Outlet />
      </Suspense>
    </Shell>
  );
}

function Cut(): ReactNode {
  return (
    <p className={s.banner} role="status">
      The server does not answer. What is shown stays; this page goes on by itself when it is back.
    </p>
  );
}
