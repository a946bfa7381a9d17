// The smallest chained plugin for the benchmarks: it only passes the previous result on.
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
