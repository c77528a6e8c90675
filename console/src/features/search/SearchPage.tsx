import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";

import { api, ask } from "../../api/client";
import type { components } from "../../api/schema";
import type { SearchHit } from "../../api/types";
import { usePages } from "../../api/usePages";
import { AgentSelect } from "../../components/filters";
import { Page } from "../../components/layout/Page";
import { Badge, Button, Empty, Failure, Field, Loading, RecordedText, Time } from "../../components/ui";
import { bytes, counted } from "../../lib/format";
import { outsideName } from "../../lib/outsideName";
import { useShownRequest } from "../../lib/shownRequest";
import { type TextSearch, searchRoute } from "./routes";
import s from "./search.module.css";

type SearchAnswer = components["schemas"]["SearchAnswer"];

/** Text over all bodies that are still there and that the caller may read. */
export function SearchPage(): ReactNode {
  const search = searchRoute.useSearch();
  const navigate = useNavigate({ from: "/search" });
  const change = (next: TextSearch): void => void navigate({ search: next });
  return (
    <Page title="Search">
      <Question
        key={search.q ?? ""}
        search={search}
        onAsk={(q) => {
          const { q: _before, ...rest } = search;
          change(q === "" ? rest : { ...rest, q });
        }}
      />
      <div className={s.where}>
        <AgentSelect
          value={search.agent}
          isAny
          onChoose={(agent) => {
            const { agent: _before, ...rest } = search;
            change(agent === undefined ? rest : { ...rest, agent });
          }}
        />
        <label className={s.check}>
          <input
            type="checkbox"
            checked={search.requests === true}
            onChange={(event) => {
              const { requests: _before, ...rest } = search;
              change(event.target.checked ? { ...rest, requests: true } : rest);
            }}
          />
          requests to models and their prompts too (slower: they repeat the history)
        </label>
      </div>
      {search.q === undefined ? <Teach /> : <Results q={search.q} search={search} />}
    </Page>
  );
}

function Question({ search, onAsk }: { search: TextSearch; onAsk: (q: string) => void }): ReactNode {
  const [text, setText] = useState(search.q ?? "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onAsk(text.trim());
  };
  return (
    <form className={s.form} onSubmit={submit} role="search">
      <Field
        label="Words, all of them; “quoted words” stand in a row"
        data-search
        type="search"
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <Button type="submit" look="primary">
        Search
      </Button>
    </form>
  );
}

function Teach(): ReactNode {
  return (
    <Empty title="Search what was recorded" icon="search">
      <p>
        Messages, prompts, replies, arguments, observations, memory: every body that was kept. What was pruned
        or erased is not found, and names of conversations and actors are filters of the page Conversations.
      </p>
    </Empty>
  );
}

function Results({ q, search }: { q: string; search: TextSearch }): ReactNode {
  const { agent, requests } = search;
  const query = { q, ...(agent !== undefined && { agent }), ...(requests && { requests }) };
  const path = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const navigate = useNavigate({ from: "/search" });
  useShownRequest(`/api/search?${path.toString()}`);
  const hits = usePages<SearchHit, SearchAnswer>(
    ["search", query],
    (after, signal) => ask(api.GET("/api/search", { params: { query: { ...query, ...after } }, signal })),
    true,
  );
  if (hits.isLoading) return <Loading what="what matches" />;
  if (hits.error !== null && hits.last === undefined)
    return <Failure error={hits.error} what="the search" onRetry={hits.again} />;
  return (
    <>
      <Reach of={hits.last} found={hits.items.length} />
      {hits.last?.requestsSearched === false && hits.items.length === 0 && (
        <Button onClick={() => void navigate({ search: { ...search, requests: true } })}>
          Search requests to models too
        </Button>
      )}
      {groups(hits.items).map(([conversation, members]) => (
        <section key={conversation} className={s.group}>
          <h2>
            <ConversationLink of={members[0]} />
          </h2>
          <ul>
            {members.map((hit) => (
              <Hit key={`${hit.eventId}/${hit.slot}`} of={hit} />
            ))}
          </ul>
        </section>
      ))}
      {hits.hasMore && (
        <Button onClick={hits.more} disabled={hits.isLoadingMore}>
          {hits.isLoadingMore ? "Searching …" : "Search further back"}
        </Button>
      )}
    </>
  );
}

function Reach({ of, found }: { of: SearchAnswer | undefined; found: number }): ReactNode {
  if (of === undefined) return null;
  return (
    <p className={s.reach} role="status">
      {counted(found, "body", "bodies")} found.{" "}
      {of.complete ? (
        of.requestsSearched ? (
          "All that is kept was searched."
        ) : (
          "All that is kept was searched but for requests to models and their prompts."
        )
      ) : (
        <>
          So far searched
          {of.searchedBackTo !== null && (
            <>
              {" "}
              back to <Time at={of.searchedBackTo} digits={0} />
            </>
          )}
          : {counted(of.searchedEvents, "event")}, {bytes(of.searchedBytes)} in the last step
          {!of.requestsSearched && ", requests to models and their prompts left out"}.
        </>
      )}
    </p>
  );
}

/** Hits of one conversation together, in the order of the newest of each. */
function groups(hits: readonly SearchHit[]): [string, [SearchHit, ...SearchHit[]]][] {
  const found = new Map<string, [SearchHit, ...SearchHit[]]>();
  for (const hit of hits) {
    const key = hit.conversationId ?? hit.agentId;
    const group = found.get(key);
    if (group === undefined) found.set(key, [hit]);
    else group.push(hit);
  }
  return [...found];
}

function ConversationLink({ of }: { of: SearchHit }): ReactNode {
  if (of.conversationId === null) return "In no conversation";
  return (
    <>
      <Link
        to="/agents/$agentId/conversations/$conversationId"
        params={{ agentId: of.agentId, conversationId: of.conversationId }}
      >
        <RecordedText text={outsideName(of.conversationKey)} />
      </Link>
      {of.agentName !== null && (
        <small>
          {" "}
          with <RecordedText text={of.agentName} />
        </small>
      )}
    </>
  );
}

function Hit({ of }: { of: SearchHit }): ReactNode {
  const words = (
    <>
      <Time at={of.createdAt} digits={0} /> · {of.type} · {of.slot}
    </>
  );
  return (
    <li className={s.hit}>
      <div className={s.hitHead}>
        {of.conversationId === null ? (
          words
        ) : (
          <Link
            to="/agents/$agentId/conversations/$conversationId"
            params={{ agentId: of.agentId, conversationId: of.conversationId }}
            search={{ at: of.eventId, open: true }}
          >
            {words}
          </Link>
        )}
        {of.turnId !== null && (
          <Link
            to="/agents/turns"
            search={{ agentId: of.agentId, turnId: of.turnId, seq: of.seq, open: true }}
          >
            <Badge tone="idle">inspect the turn</Badge>
          </Link>
        )}
      </div>
      {of.snippets.map((snippet, place) => (
        <p key={place} className={s.snippet}>
          <RecordedText text={snippet.before} />
          <mark>
            <RecordedText text={snippet.match} />
          </mark>
          <RecordedText text={snippet.after} />
        </p>
      ))}
    </li>
  );
}
