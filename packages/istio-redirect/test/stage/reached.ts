import type { NetnsTarget } from '@cni/netns'
import { connectFrom } from '../../src/testing/node/stand-ins.ts'

/** Connects to each address and returns the servers' answers, such as `shop from 10.20.0.1`, or the errors. */
export async function reached(
  from: NetnsTarget,
  hosts: readonly string[],
  port = 8080,
  user = 1000,
): Promise<string[]> {
  const connections = await connectFrom(
    from,
    user,
    hosts.map((host) => ({ host, port })),
  )
  return connections.map(({ answer, error }) =>
    answer ? `${answer.served_by} from ${answer.from?.replace('::ffff:', '')}` : (error ?? 'nobody'),
  )
}
