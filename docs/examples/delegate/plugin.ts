import { type DelegateOptions, ipam } from '@cni/invoke'
import { definePlugin } from '@cni/skel'
import { assignInterface, mergeResults } from '@cni/types'

/** Plugin that gets addresses from the IPAM plugin that the configuration names in `ipam.type`. */
export const lease = (options: DelegateOptions = {}) =>
  definePlugin({
    name: 'lease',
    async add(c) {
      const addresses = await ipam(c, options).add()
      const own = { interfaces: [{ name: c.ifName, sandbox: c.netns.path }] }
      return assignInterface(mergeResults(own, addresses), c.ifName)
    },
    async check(c) {
      await ipam(c, options).check()
    },
    del: (c) => ipam(c, options).del(),
    async gc(c) {
      const outcome = await ipam(c, options).gc()
      if (outcome.kind === 'skipped') c.log.info(outcome.reason)
    },
    async status(c) {
      await ipam(c, options).status()
    },
  })
