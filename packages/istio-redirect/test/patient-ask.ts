import type * as thick from '@cni/skel/daemon'

/**
 * For `vi.mock('@cni/skel/daemon', …)`: the plugin waits 2 s for the agent to begin its answer, not 100 ms. A busy machine
 * may need longer than 100 ms to run the agent's thread.
 */
export async function withPatience(original: () => Promise<typeof thick>): Promise<typeof thick> {
  const real = await original()
  return { ...real, askDaemon: (socket, question) => real.askDaemon(socket, { ...question, begunWithin: 2000 }) }
}
