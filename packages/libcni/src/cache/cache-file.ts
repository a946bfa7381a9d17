import { errorLine, goStringify, isObject } from '@cni/types'
import * as z from 'zod/mini'
import type { Attachment, CachedAttachment } from '../attachment.ts'
import { RuntimeError } from '../errors.ts'

/** Content of the cache file that a runtime keeps for each attachment. */
export interface CacheRecord extends CachedAttachment {
  /** Result document of the last plugin of the network's list. */
  readonly result?: Readonly<Record<string, unknown>> | undefined
}

const KIND = 'cniCacheV1'

const record = z.object({
  kind: z.literal(KIND),
  containerId: z.optional(z.string()),
  config: z.optional(z.nullable(z.string())),
  ifName: z.optional(z.string()),
  networkName: z.optional(z.string()),
  netns: z.optional(z.string()),
  cniArgs: z.optional(z.nullable(z.array(z.tuple([z.string(), z.string()])))),
  capabilityArgs: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
  result: z.optional(z.nullable(z.record(z.string(), z.unknown()))),
})

/** Encodes the cache file of an attachment, byte for byte as the Go library does. */
export function encodeCacheRecord(list: { name: string; text: string }, rt: Attachment, result: object): string {
  const { args = [], capabilityArgs = {} } = rt
  const members = {
    kind: KIND,
    containerId: rt.containerID,
    config: Buffer.from(list.text).toString('base64'),
    ifName: rt.ifName,
    networkName: list.name,
    netns: rt.netns || undefined,
    cniArgs: args.length === 0 ? undefined : args,
    capabilityArgs: Object.keys(capabilityArgs).length === 0 ? undefined : capabilityArgs,
    result,
  }
  const present = Object.entries(members).filter(([, value]) => value !== undefined)
  return `{${present.map(([name, value]) => `"${name}":${goStringify(value, { sortKeys: true })}`).join(',')}}`
}

/**
 * Decodes the cache file of an attachment; `undefined` for another `kind`.
 *
 * @throws {@link RuntimeError} `CACHE` for invalid JSON, or for an invalid document with the right `kind`.
 */
export function decodeCacheRecord(text: string): CacheRecord | undefined {
  const document = parse(text)
  if (!isObject(document) || document.kind !== KIND) return undefined
  const parsed = record.safeParse(document)
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {}
    throw new RuntimeError('CACHE', `not a cache file: ${path.join('.')}: ${message}`, { cause: parsed.error })
  }
  const { containerId = '', config, ifName = '', networkName = '', netns = '', cniArgs, capabilityArgs } = parsed.data
  return {
    containerID: containerId,
    netns,
    ifName,
    network: networkName,
    config: Buffer.from(config ?? '', 'base64').toString('utf8'),
    ...(cniArgs ? { args: cniArgs } : {}),
    // Takes `capabilityArgs` unchanged from the parsed file, because the schema check returns a changed copy.
    ...(capabilityArgs && isObject(document.capabilityArgs) ? { capabilityArgs: document.capabilityArgs } : {}),
    result: isObject(document.result) ? document.result : undefined,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = text.trim() === '' ? 'it is empty' : errorLine(cause)
    throw new RuntimeError('CACHE', `not a cache file: ${why}`, { cause })
  }
}
