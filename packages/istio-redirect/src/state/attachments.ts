import type { CaptureConfig } from '@cni/istio-rules'
import { type AttachmentStore, attachmentStore } from '@cni/skel'
import * as z from 'zod/mini'
import { attachmentsFolder } from './folder.ts'

/** What ADD did to a namespace, so that CHECK, DEL and GC need not ask anybody. Version 1 of what is kept. */
export interface AttachmentRecord {
  readonly netns: NetnsIdentity
  /** Back end of the rules, by its word on nodes: `nft`, `legacy` or `nftables`. `null`: unknown yet. */
  readonly backend: string | null
  readonly families: readonly ('ipv4' | 'ipv6')[]
  /** What the rules are built from. */
  readonly rules: CaptureConfig
  /** The policy route of TPROXY, if there is one. */
  readonly tproxy: { readonly mark: number; readonly table: number } | null
  /** `false` from before the first change until after the last one. */
  readonly applied: boolean
  /**
   * The kernel's count of the changes of nf_tables in the namespace, as of the one that wrote the rules; absent where they
   * were written otherwise. While it counts no more, they are as they were written.
   */
  readonly generation?: number | undefined
  /** The namespace was fresh before the first ADD: tables that are empty after DEL came with our rules. */
  readonly first?: boolean | undefined
}

/** What decides about the addresses and routes of an attachment: its families, and whether its rules are those of TPROXY. */
export type RecordedNetwork = Pick<AttachmentRecord, 'families' | 'tproxy'>

/** A namespace, told apart by what the kernel calls it: a path may come to mean another one. */
export interface NetnsIdentity {
  readonly dev: number
  readonly ino: number
}

/** The records of one node. */
export type Attachments = AttachmentStore<AttachmentRecord>

/**
 * The records below a run directory.
 *
 * @example
 * attachmentsIn('/var/run/istio-cni').read({ network: 'pods', containerID: 'abc', ifName: 'eth0' })
 */
export function attachmentsIn(runDir: string): Attachments {
  // The types vouch for what is written: it need not be read back.
  return attachmentStore({ folder: attachmentsFolder(runDir), schema: recordSchema, readBack: false })
}

/** What was recorded about a namespace; files nobody can read are passed over. */
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
