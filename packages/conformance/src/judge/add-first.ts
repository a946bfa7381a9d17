import { type AttachedPod, resultIn } from '../attached-pod.ts'
import type { Context } from '../context.ts'
import type { Exchange } from '../model.ts'
import { failureText } from './expect-success.ts'

/** Runs an ADD that a check needs. Marks the check as blocked if the ADD fails. */
export async function addFirst(ctx: Context, attached: AttachedPod): Promise<Exchange | undefined> {
  const exchange = await attached.add()
  if (resultIn(exchange) !== undefined) return exchange
  ctx.block(`ADD, which had worked before, ${failureText(exchange)}`)
  return undefined
}
