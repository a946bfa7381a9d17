import type { debugFor } from '@cni/host/debug'
import type { RequestChannel } from '../netlink/channel.ts'
import type { Request } from '../netlink/encode.ts'
import { isNetlinkError } from '../netlink/netlink-error.ts'

/** Wraps a netlink channel. Logs each request for debugging, with its duration and any refusal of the kernel. */
export function traced(channel: RequestChannel, debug: NonNullable<ReturnType<typeof debugFor>>): RequestChannel {
  const trace = <T>({ what }: Request, ask: () => T): T => {
    const begun = performance.now()
    try {
      const answer = ask()
      debug(what, { replies: Array.isArray(answer) ? answer.length : 1, ms: performance.now() - begun })
      return answer
    } catch (error) {
      const refused = isNetlinkError(error) ? error.code : undefined
      debug(what, { refused, error, ms: performance.now() - begun })
      throw error
    }
  }
  return {
    get: (request) => trace(request, () => channel.get(request)),
    ask: (request) => trace(request, () => channel.ask(request)),
    dump: (request, options) => trace(request, () => channel.dump(request, options)),
  }
}
