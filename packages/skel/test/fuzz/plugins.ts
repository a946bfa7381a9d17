import { definePlugin, netConf, type Plugin, recover, span, timeout, use } from '@cni/skel'
import * as z from 'zod/mini'

/** Test plugin whose ADD returns its `prevResult`. */
export const passThrough = definePlugin({
  name: 'pass',
  chained: true,
  args: 'strict',
  add: (c) => c.prevResult,
  check() {},
  del() {},
  gc() {},
  status() {},
})

/** Test plugin whose ADD adds the container's namespace to the set `world`. */
export function redirecting(world: Set<string>): Plugin {
  return use(
    definePlugin({
      name: 'redirect',
      config: netConf({ port: z.int().check(z.positive(), z.lte(65_535)), fail: z.optional(z.boolean()) }),
      log: ({ conf }) => ({ level: conf?.port === 1 ? 'silent' : 'debug' }),
      add(c) {
        world.add(c.netns.path)
        c.undo(() => world.delete(c.netns.path))
        c.log.info('redirected', { port: c.conf.port })
        if (c.conf.fail) throw new TypeError('no such thing', { cause: new Error('because') })
        return { ...c.prevResult, dns: { nameservers: ['192.0.2.53'] } }
      },
      check: (c) => void c.conf.port,
      del(c) {
        if (c.netns) world.delete(c.netns.path)
        c.log.info('removed', { port: c.conf?.port })
      },
      gc: (c) => void c.validAttachments?.map(({ containerID }) => containerID),
      status() {},
    }),
    span(),
    recover(),
    timeout(1000),
  )
}
