import * as z from 'zod/mini'
import type { CaptureConfig } from '../redirect/config.ts'
import { StateError } from './state-error.ts'

/** What identifies an attachment: one interface of one container in one network. */
export interface AttachmentKey {
  readonly network: string
  readonly containerID: string
  readonly ifName: string
}

/** What ADD did to a namespace, so that CHECK, DEL and GC need not ask anybody. */
export interface AttachmentRecord extends AttachmentKey {
  readonly v: 1
  readonly netns: NetnsIdentity
  /** Which iptables carries it out; `null` when that was not known yet. */
  readonly backend: string | null
  readonly families: readonly ('ipv4' | 'ipv6')[]
  /** What the rules are built from. */
  readonly rules: CaptureConfig
  /** The policy route of TPROXY, if there is one. */
  readonly tproxy: { readonly mark: number; readonly table: number } | null
  /** `false` from before the first change until after the last one. */
  readonly applied: boolean
}

/** A namespace, told apart by what the kernel calls it: a path may come to mean another one. */
export interface NetnsIdentity {
  readonly dev: number
  readonly ino: number
}

/** The attachment a call is about. */
export const attachmentKey = (call: {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}): AttachmentKey => ({ network: call.networkName, containerID: call.containerID, ifName: call.ifName })

/**
 * The back end to say when the node's `iptables` may have come to mean another one since: an nft that holds our rules
 * leaves no trace by which it would be found. A legacy one is found by its tables.
 */
export const recordedBackend = ({ backend }: AttachmentRecord): 'nft' | undefined =>
  backend === 'nft' ? 'nft' : undefined

/** Reads the text of a state file; `path` only appears in messages. */
export function parseRecord(path: string, text: string): AttachmentRecord {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (cause) {
    throw new StateError(path, 'it is not JSON', { cause })
  }
  const parsed = recordSchema().safeParse(document)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.map(String).join('.') || 'the document'
  throw new StateError(path, `${where} is missing or has the wrong type`)
}

/** Made at use: an ADD finds no file, and reads none. */
const recordSchema = (): z.ZodMiniType<AttachmentRecord> => {
  const integer = z.int().check(z.nonnegative())
  const port = z.int().check(z.minimum(0), z.maximum(65535))
  const ports = z.array(port)
  const ids = z.array(integer)
  const names = z.array(z.string())
  const ranges = z.object({ ipv4: names, ipv6: names })
  const captureSchema: z.ZodMiniType<CaptureConfig> = z.object({
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
  return z.object({
    v: z.literal(1),
    network: z.string(),
    containerID: z.string(),
    ifName: z.string(),
    netns: z.object({ dev: integer, ino: integer }),
    backend: z.nullable(z.string()),
    families: z.array(z.enum(['ipv4', 'ipv6'])),
    rules: captureSchema,
    tproxy: z.nullable(z.object({ mark: integer, table: integer })),
    applied: z.boolean(),
  })
}
