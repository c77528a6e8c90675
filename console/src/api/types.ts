// Short names for the answers of the API.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Agent = Schemas["Agent"];
export type Actor = Schemas["Actor"];
export type Balance = Schemas["Balance"];
export type BodySlot = Schemas["BodySlot"];
export type CallCost = Schemas["CallCost"];
export type Conversation = Schemas["Conversation"];
export type Cost = Schemas["Cost"];
export type Delivery = Schemas["Delivery"];
export type Disposal = Schemas["Disposal"];
export type Entry = Schemas["Entry"];
export type Figures = Schemas["Figures"];
export type Finding = Schemas["Finding"];
export type LeftOut = Schemas["LeftOut"];
export type Integrity = Schemas["Integrity"];
export type Message = Schemas["Message"];
export type MemoryRevision = Schemas["MemoryRevision"];
export type Overview = Schemas["Overview"];
export type Preview = Schemas["Preview"];
export type SearchHit = Schemas["SearchHit"];
export type Session = Schemas["Session"];
export type Step = Schemas["Step"];
export type StreamEvent = Schemas["StreamEvent"];
export type Timeline = Schemas["Timeline"];
export type Tokens = Schemas["Tokens"];
export type Turn = Schemas["Turn"];
export type TurnDiff = Schemas["TurnDiff"];
export type TurnEntries = Schemas["TurnEntries"];
export type TurnReport = Schemas["TurnReport"];
export type TurnTotals = Schemas["TurnTotals"];
export type UnrunTool = Schemas["UnrunTool"];
export type VerificationJob = Schemas["VerificationJob"];
