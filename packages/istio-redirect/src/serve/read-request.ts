import * as z from 'zod/mini'
import type { Frame } from './frame.ts'
import { type NamespaceFacts, PROTOCOL, type RefusedAnswer, type ServeRequest } from './protocol.ts'

const number = z.int().check(z.nonnegative())

/** Everybody who asks is root, but not everybody who is root means well, or is of this version. */
const requestSchema = z.object({
  protocol: z.literal(PROTOCOL),
  version: z.string(),
  env: z.record(z.string(), z.string()),
})

const factsSchema = z.object({
  netns: z.object({ dev: number, ino: number }),
  backend: z.enum(['nft', 'nftables', 'other']),
  fresh: z.boolean(),
  inet6: z.string(),
  addresses: z.optional(z.array(z.string())),
  ipv6Off: z.optional(z.boolean()),
})

/** The request in a frame, or why it is none that this agent answers. */
export function readRequest({ json, bytes }: Frame, version: string): ServeRequest | RefusedAnswer {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch {
    return { act: 'refused', reason: 'request', detail: 'it is not JSON' }
  }
  const asked = versionSchema.safeParse(document)
  if (asked.success && (asked.data.protocol !== PROTOCOL || asked.data.version !== version)) {
    const detail = `this is version ${version}, protocol ${PROTOCOL}; asked were ${asked.data.version.slice(0, 100)} and ${asked.data.protocol}`
    return { act: 'refused', reason: 'version', detail }
  }
  const parsed = requestSchema.safeParse(document)
  if (parsed.success) return { ...parsed.data, stdin: bytes }
  return { act: 'refused', reason: 'request', detail: `${placeOf(parsed.error)} is not what it should be` }
}

/**
 * The facts in a frame.
 *
 * @throws Error that says why they are none.
 */
export function readFacts({ json }: Frame): NamespaceFacts {
  const parsed = factsSchema.safeParse(JSON.parse(json))
  if (parsed.success) return parsed.data
  throw new Error(`${placeOf(parsed.error)} is not what it should be`)
}

// What of a request has to stay the same in all of them, so that each can say that it is another.
const versionSchema = z.object({ protocol: z.number(), version: z.string() })

const placeOf = ({ issues: [issue] }: z.core.$ZodError): string =>
  (issue?.path.map(String).join('.') || 'the document').slice(0, 100)
