import { useQueries, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";

import { agentsQuery } from "../../api/agents";
import { api, ask } from "../../api/client";
import { ApiError } from "../../api/problem";
import type { Agent } from "../../api/types";
import { isUuid } from "../../lib/ids";
import { outsideName } from "../../lib/outsideName";
import { say } from "../../lib/toasts";
import type { Command, Go } from "./commands";

const LEAST = 2;
/** What is longer is no name, and the API searches none. */
const MOST = 200;
const SHOWN = 6;
/** Of so many agents it is asked which tools they use. */
const ASKED = 6;
const FRESH_MS = 60_000;

/** What is on record under what was typed: agents, conversations by their name, tools, and whatever has an id. */
export function useFound(query: string, go: Go): Command[] {
  const typed = useDeferredValue(query.trim());
  const lower = typed.toLowerCase();
  const isNamed = typed.length >= LEAST && typed.length <= MOST && !isUuid(lower);
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: conversations = [] } = useQuery({
    queryKey: ["palette", "conversations", typed],
    queryFn: async ({ signal }) =>
      (await ask(api.GET("/api/conversations", { params: { query: { q: typed, limit: SHOWN } }, signal })))
        .items,
    enabled: isNamed,
    staleTime: FRESH_MS,
  });
  const tools = useQueries({
    queries: agents.slice(0, ASKED).map((agent) => ({
      queryKey: ["palette", "tools", agent.id],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (
          await ask(
            api.GET("/api/agents/{agentId}/overview", { params: { path: { agentId: agent.id } }, signal }),
          )
        ).topTools.map((tool) => ({ agent, name: tool.name })),
      enabled: isNamed,
      staleTime: FRESH_MS,
    })),
    combine: (results) => results.flatMap((one) => one.data ?? []),
  });
  if (isUuid(lower)) return commandsOfId(lower, agents, go);
  if (!isNamed) return [];
  const has = (name: string): boolean => name.toLowerCase().includes(lower);
  return [
    ...agents
      .filter((agent) => has(agent.name))
      .slice(0, SHOWN)
      .map((agent) => ({
        key: agent.id,
        word: agent.name,
        hint: "agent",
        run: () => {
          go("/agents", { agent: agent.id });
        },
      })),
    ...conversations.map((one) => ({
      key: one.id,
      word: outsideName(one.key),
      hint: `conversation of ${one.agentName}`,
      run: () => {
        go(`/agents/${one.agentId}/conversations/${one.id}`);
      },
    })),
    ...tools
      .filter(({ name }) => has(name))
      .slice(0, SHOWN)
      .map(({ agent, name }) => ({
        key: `${agent.id}/${name}`,
        word: name,
        hint: `tool of ${agent.name}: its calls and errors`,
        run: () => {
          go("/agents", { agent: agent.id });
        },
      })),
  ];
}

/** What an id may be of; whose conversation it is, is looked up when it is chosen. */
function commandsOfId(id: string, agents: readonly Agent[], go: Go): Command[] {
  const agent = agents.find((one) => one.id === id);
  if (agent !== undefined)
    return [
      {
        key: id,
        word: `Agent ${agent.name}`,
        hint: "id",
        run: () => {
          go("/agents", { agent: id });
        },
      },
    ];
  return [
    {
      key: `turn ${id}`,
      word: `Inspect turn ${id}`,
      hint: "id",
      run: () => {
        go("/agents/turns", { turnId: id });
      },
    },
    {
      key: `conversation ${id}`,
      word: `Open conversation ${id}`,
      hint: "id",
      run: () => void openConversation(id, agents, go),
    },
  ];
}

async function openConversation(conversationId: string, agents: readonly Agent[], go: Go): Promise<void> {
  for (const { id: agentId } of agents) {
    try {
      await ask(
        api.GET("/api/agents/{agentId}/conversations/{conversationId}", {
          params: { path: { agentId, conversationId } },
        }),
      );
      go(`/agents/${agentId}/conversations/${conversationId}`);
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) break;
    }
  }
  say("No agent that you may see has this conversation.", "bad");
}
