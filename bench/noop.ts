// The least a chained plugin can do: pass on what it got.
import { definePlugin, pluginMain } from '@cni/skel'

pluginMain(
  definePlugin({
    name: 'noop',
    chained: true,
    add: (c) => c.prevResult,
    check() {},
    del() {},
  }),
)
