import type { CaptureConfig } from '@cni/istio-rules'
import { type AttachmentStore, attachmentStore } from '@cni/skel'
import * as z from 'zod/mini'
import { attachmentsFolder } from './folder.ts'

/** Record of an ADD, from which CHECK, DEL and GC know the rules without asking the API server. Format version 1. */
export interface AttachmentRecord {
  readonly netns: NetnsIdentity
  /** Back end of the rules, by its name on nodes: `nft`, `legacy` or `nftables`. `null` if it is unknown. */
  readonly backend: string | null
  readonly families: readonly ('ipv4' | 'ipv6')[]
  /** Configuration that the rules are built from. */
  readonly rules: CaptureConfig
  /** Policy route of TPROXY. `null` for REDIRECT. */
  readonly tproxy: { readonly mark: number; readonly table: number } | null
  /** `false` until the last change of the ADD is done. */
  readonly applied: boolean
  /**
   * Generation of nf_tables after the batch that wrote the rules. Absent if the rules were not written by one batch.
   * While the kernel reports the same generation, the rules are unchanged.
   */
  readonly generation?: number | undefined
  /** True if the namespace was fresh before the first ADD. Then DEL also removes tables that are empty. */
  readonly first?: boolean | undefined
}

/** Part of the record that decides about addresses and routes: the families, and the policy route of TPROXY. */
export type RecordedNetwork = Pick<AttachmentRecord, 'families' | 'tproxy'>

/** Identity of a namespace by device and inode. A path can refer to another namespace later. */
export interface NetnsIdentity {
  readonly dev: number
  readonly ino: number
}

/** Records of a node. */
export type Attachments = AttachmentStore<AttachmentRecord>

/**
 * Opens the records below a run directory.
 *
 * @example
 * attachmentsIn('/var/run/istio-cni').read({ network: 'pods', containerID: 'abc', ifName: 'eth0' })
 */
export function attachmentsIn(runDir: string): Attachments {
  // Type checking ensures valid records, so they are not validated again after a write.
  return attachmentStore({ folder: attachmentsFolder(runDir), schema: recordSchema, readBack: false })
}

/** Finds the record of a namespace. Skips unreadable files. */
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

/** Schema of a configuration, in a record and in an answer of the agent. */
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
