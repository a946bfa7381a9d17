import { definePlugin, netConf, type RuntimeConfig, runtimeConfig } from '@cni/skel'
import { expectTypeOf, test } from 'vitest'

test('a handler sees the requested capabilities', () => {
  definePlugin({
    name: 'asks',
    config: netConf({ runtimeConfig: runtimeConfig('portMappings', 'bandwidth', 'mac') }),
    add(c) {
      const { portMappings, bandwidth, mac } = c.conf.runtimeConfig
      expectTypeOf(portMappings).toEqualTypeOf<RuntimeConfig['portMappings'][number][]>()
      expectTypeOf(bandwidth).toEqualTypeOf<RuntimeConfig['bandwidth']>()
      expectTypeOf(mac).toEqualTypeOf<string | undefined>()
      expectTypeOf<RuntimeConfig['portMappings'][number]['protocol']>().toEqualTypeOf<'tcp' | 'udp' | 'sctp'>()
      // @ts-expect-error a capability that was not asked for
      c.conf.runtimeConfig.ips
      // @ts-expect-error misspelt
      portMappings[0]?.hostPrt
      return {}
    },
  })
})

test('an unknown capability, and no capability at all, are type errors', () => {
  // @ts-expect-error no such capability
  runtimeConfig('portMapping')
  // @ts-expect-error a plugin that asks for nothing gets nothing
  runtimeConfig()
})
