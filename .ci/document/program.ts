// What a program sends: what may be left out is left out. It compiles, or the document asks for more than the server.
import type { components, paths } from "./api";

type Sent<Path extends keyof paths> = paths[Path] extends { post: { requestBody: { content: { "application/json": infer Body } } } }
  ? Body
  : never;

export const worker: Sent<"/api/workers"> = { name: "Front desk", description: null, status: null };
export const campaign: components["schemas"]["OutboundCampaignBody"] = { data: [{ phoneNumber: "+14155550111" }] };
export const fault: Sent<"/_dryline/faults"> = { path: "/api/workers", status: 503 };
export const calls: Sent<"/_dryline/simulate/calls"> = { workerId: "worker_1", deploymentId: "deploy_1" };
export const status = (log: components["schemas"]["VoiceLog"]): string | null | undefined => log.status;
