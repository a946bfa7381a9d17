import { definePlugin, netConf } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import * as z from 'zod/mini'
import { ipam } from '../../../src/ipam.ts'

/** Hands out addresses for an interface that is there already; `refuse` makes it fail once it has them. */
export const plugin = definePlugin({
  name: 'addresses',
  config: netConf({ refuse: z.optional(z.string()) }),
  async add(c) {
    const { ips = [], routes, dns } = await ipam.add(c.raw, { env: c.env, signal: c.signal, addOrUndo: true })
    c.undo(() => ipam.del(c.raw, { env: c.env }))
    if (c.conf.refuse) throw new CniError(ErrorCode.invalidNetworkConfig, c.conf.refuse)
    return {
      interfaces: [{ name: c.ifName, sandbox: c.netns.path }],
      ips: ips.map((ip) => ({ ...ip, interface: 0 })),
      ...(routes === undefined ? {} : { routes }),
      ...(dns === undefined ? {} : { dns }),
    }
  },
  check: (c) => ipam.check(c.raw, { env: c.env, signal: c.signal }),
  del: (c) => ipam.del(c.raw, { env: c.env, signal: c.signal }),
  gc: (c) => ipam.gc(c.raw, { env: c.env, signal: c.signal }),
  status: (c) => ipam.status(c.raw, { env: c.env, signal: c.signal }),
})
