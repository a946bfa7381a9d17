// The minimal chained plugin: passes the previous result through.
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
