import type * as daemon from '@cni/skel/daemon'

/**
 * Factory for `vi.mock('@cni/skel/daemon', …)`. With the mock, the plugin waits 2 s instead of 100 ms for the beginning
 * of the agent's answer. A busy test machine may need longer than 100 ms.
 */
export async function withPatience(original: () => Promise<typeof daemon>): Promise<typeof daemon> {
  const real = await original()
  return { ...real, askDaemon: (socket, question) => real.askDaemon(socket, { ...question, begunWithin: 2000 }) }
}
