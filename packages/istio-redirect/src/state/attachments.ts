import type { CaptureConfig } from '@cni/istio-rules'
import { type AttachmentStore, attachmentStore } from '@cni/skel'
import * as z from 'zod/mini'
import { attachmentsFolder } from './folder.ts'

/** Record of an ADD for CHECK, DEL and GC, which do not ask the API server. */
export interface AttachmentRecord {
  readonly netns: NetnsIdentity
  /** Back end that wrote the rules: `nft`, `legacy` or `nftables`. `null` if unknown. */
  readonly backend: string | null
  readonly families: readonly ('ipv4' | 'ipv6')[]
  /** Configuration from which ADD built the rules. */
  readonly rules: CaptureConfig
  /** Packet mark and routing table of the policy route for TPROXY. `null` for REDIRECT. */
  readonly tproxy: { readonly mark: number; readonly table: number } | null
  /** True after the last change of the ADD. `false` while the ADD runs, or if it was killed. */
  readonly applied: boolean
  /** Generation of nf_tables after the rules were written. An equal generation means unchanged rules. */
  readonly generation?: number | undefined
  /** True if the pod's namespace had no rules before the first ADD. If true, DEL also removes empty tables. */
  readonly first?: boolean | undefined
}

/** Members of an attachment record that determine the addresses and routes of the pod's redirection. */
export type RecordedNetwork = Pick<AttachmentRecord, 'families' | 'tproxy'>

/** Identity of a network namespace, because a path can refer to another namespace later. */
export interface NetnsIdentity {
  readonly dev: number
  readonly ino: number
}

/** Attachment records of a node, one for each pod interface that ADD has redirected. */
export type Attachments = AttachmentStore<AttachmentRecord>

/**
 * Opens the attachment records in the agent's run directory.
 *
 * @example
 * attachmentsIn('/var/run/istio-cni').read({ network: 'pods', containerID: 'abc', ifName: 'eth0' })
 */
export function attachmentsIn(runDir: string): Attachments {
  // Does not decode a new record, because TypeScript's types ensure a valid record.
  return attachmentStore({ folder: attachmentsFolder(runDir), schema: recordSchema, readBack: false })
}

/** Finds the attachment record of a network namespace. Skips unreadable files. */
export function findByNetns(
  attachments: Attachments,
  { dev, ino }: NetnsIdentity,
): ReturnType<AttachmentStore<AttachmentRecord>['list']>['stored'][number] | undefined {
  return attachments.list().stored.find(({ state: { netns } }) => netns.dev === dev && netns.ino === ino)
}

const integer = z.int().check(z.nonnegative())
const port = z.int().check(z.minimum(0), z.maximum(65535))
const ports = z.array(port)
const ids = z.array(integer)
const names = z.array(z.string())
const ranges = z.object({ ipv4: names, ipv6: names })

/** Schema of a capture configuration, in a record and in an answer of the agent. */
export const captureSchema: z.ZodMiniType<CaptureConfig> = z.object({
  ipv6: z.boolean(),
  interceptionMode: z.enum(['REDIRECT', 'TPROXY']),
  proxyPort: port,
  inboundCapturePort: port,
  inboundTunnelPort: port,
  proxyUIDs: ids,
  proxyGIDs: ids,
  tproxyMark: integer,
  tproxyRouteTable: integer,
  includeInboundPorts: z.union([z.literal('*'), ports]),
  excludeInboundPorts: ports,
  includeOutboundPorts: ports,
  excludeOutboundPorts: ports,
  includeOutboundIPRanges: z.union([z.literal('*'), ranges]),
  excludeOutboundIPRanges: ranges,
  excludeInterfaces: names,
  rerouteVirtualInterfaces: names,
  ownerGroups: z.object({ mode: z.enum(['all-except', 'only']), groups: z.array(z.union([integer, z.string()])) }),
  dns: z.union([z.enum(['none', 'all']), ranges]),
  dropInvalid: z.boolean(),
  loopbackCidr: z.string(),
})

/** Schema of the record of an attachment. */
export const recordSchema: z.ZodMiniType<AttachmentRecord> = z.object({
  netns: z.object({ dev: integer, ino: integer }),
  backend: z.nullable(z.string()),
  families: z.array(z.enum(['ipv4', 'ipv6'])),
  rules: captureSchema,
  tproxy: z.nullable(z.object({ mark: integer, table: integer })),
  applied: z.boolean(),
  generation: z.optional(integer),
  first: z.optional(z.boolean()),
})
