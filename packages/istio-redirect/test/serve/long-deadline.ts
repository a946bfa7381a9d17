import type * as daemon from '@cni/skel/daemon'

/** Creates a mock of `@cni/skel/daemon`. The plugin waits longer for the agent, because test machines may be busy. */
export async function withLongDeadline(original: () => Promise<typeof daemon>): Promise<typeof daemon> {
  const real = await original()
  return { ...real, askDaemon: (socket, question) => real.askDaemon(socket, { ...question, begunWithin: 2000 }) }
}
