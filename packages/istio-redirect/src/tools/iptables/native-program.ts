import { networkOf } from '../../decide/record.ts'
import { openNetwork, removeFromNamespace } from '../../namespace/namespace-network.ts'
import { nativeWriter } from '../../namespace/native-writer.ts'
import { removeUnrecorded } from '../../namespace/remove-unrecorded.ts'
import { everyNetworkOf, type Program, type ProgramReport, whereOf } from './program.ts'

/** Writes or removes native nftables rules. Replaces the command's tables as a whole. */
export async function programNative(job: Program): Promise<ProgramReport> {
  const { target, config, log } = job
  const undo: (() => unknown)[] = []
  const where = whereOf(job, undo)
  const writer = nativeWriter(where, config)
  const { families } = networkOf(config)
  const report = { backend: 'nftables', families } as const
  if (job.cleanupOnly) {
    log.info('Performing cleanup of existing nftables rules')
    await writer.remove()
    await removeFromNamespace(target, everyNetworkOf(config))
    return { plan: 'removed', ...report }
  }
  using network = await openNetwork(target, networkOf(config))
  try {
    await removeUnrecorded(where, 'nftables')
    const { plan } = (await writer.apply()).report
    await network.prepare((step) => undo.push(step))
    await removeFromNamespace(target, everyNetworkOf(config), networkOf(config))
    return { plan, ...report }
  } catch (error) {
    for (const step of undo.toReversed()) await step()
    throw error
  }
}
