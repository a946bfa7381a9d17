import type * as daemon from '@cni/skel/daemon'

/**
 * Factory for `vi.mock('@cni/skel/daemon', …)`. The plugin waits 2 s for the agent to begin its answer, not 100 ms: a busy machine
 * may need longer than 100 ms to run the agent's thread.
 */
export async function withPatience(original: () => Promise<typeof daemon>): Promise<typeof daemon> {
  const real = await original()
  return { ...real, askDaemon: (socket, question) => real.askDaemon(socket, { ...question, begunWithin: 2000 }) }
}
