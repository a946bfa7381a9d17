import { encodeFrame } from './frame.ts'
import { type Done, isServedVariable, type NamespaceFacts, PROTOCOL, type ServeRequest } from './protocol.ts'

/** A request, from what a call has. */
export function serveRequest(
  env: Readonly<Record<string, string | undefined>>,
  { version, stdin }: { readonly version: string; readonly stdin: Uint8Array },
): ServeRequest {
  const served: Record<string, string> = {}
  for (const name of Object.keys(env)) {
    const value = env[name]
    if (value !== undefined && isServedVariable(name)) served[name] = value
  }
  return { protocol: PROTOCOL, version, env: served, stdin }
}

/** A request as it is sent. */
export function encodeRequest({ stdin, ...head }: ServeRequest): Uint8Array {
  return encodeFrame(head, stdin)
}

/** Facts as they are sent, behind the request. */
export function encodeFacts(facts: NamespaceFacts): Uint8Array {
  return encodeFrame(facts)
}

/** What is sent last. */
export function encodeDone(ms: number): Uint8Array {
  return encodeFrame({ done: ms } satisfies Done)
}
