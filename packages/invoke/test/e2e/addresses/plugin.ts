import { definePlugin, netConf } from '@cni/skel'
import { assignInterface, CniError, ErrorCode, mergeResults } from '@cni/types'
import * as z from 'zod/mini'
import { ipam } from '../../../src/ipam.ts'

/** Test plugin that assigns the IPAM plugin's addresses to an existing interface. */
export const plugin = definePlugin({
  name: 'addresses',
  config: netConf({ refuse: z.optional(z.string()) }),
  async add(c) {
    const addresses = await ipam(c).add()
    if (c.conf.refuse) throw new CniError(ErrorCode.invalidNetworkConfig, c.conf.refuse)
    const own = { interfaces: [{ name: c.ifName, sandbox: c.netns.path }] }
    return assignInterface(mergeResults(own, addresses), c.ifName)
  },
  async check(c) {
    await ipam(c).check()
  },
  del: (c) => ipam(c).del(),
  async gc(c) {
    const outcome = await ipam(c).gc()
    if (outcome.kind === 'skipped') c.log.info(outcome.reason)
  },
  async status(c) {
    const outcome = await ipam(c).status()
    if (outcome.kind === 'skipped') c.log.info(outcome.reason)
  },
})
