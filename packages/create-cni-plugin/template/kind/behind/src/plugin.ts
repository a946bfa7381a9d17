import { definePlugin, netConf } from '@cni/skel'
import { settings, setUp, tearDown, verify } from './rules.ts'

/** A chained plugin: runs after the other plugins of the network and passes their result on. */
export const plugin = definePlugin({
  name: '@NAME@',
  chained: true,
  config: netConf(settings),
  async add(c) {
    await setUp(c, c.conf)
    return c.prevResult
  },
  async check(c) {
    await verify(c, c.conf)
  },
  async del(c) {
    if (c.netns) await tearDown(c, c.conf)
  },
})
