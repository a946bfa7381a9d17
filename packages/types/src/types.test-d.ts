import { expectTypeOf, test } from 'vitest'
import { type ConflistDocument, parseConflist } from './conf/conflist.ts'
import { insertPlugin, removePlugin } from './conf/conflist-edit.ts'
import type { PluginConf } from './conf/plugin-conf.ts'
import type { IpConfig, Result } from './result/model.ts'
import { type CniVersion, isCniVersion } from './versions.ts'

test('a result accepts undefined for members that may be missing', () => {
  const gateway = Math.random() > 2 ? '10.0.0.1' : undefined
  expectTypeOf({ ips: [{ address: '10.0.0.2/24', gateway }] }).toExtend<Result>()
  expectTypeOf<{ ips: { address: number }[] }>().not.toExtend<Result>()
  expectTypeOf<{ ips: { gateway: string }[] }>().not.toExtend<Result>()
})

test('known members have types, and unknown ones have the type unknown', () => {
  expectTypeOf<Result['ips']>().toEqualTypeOf<readonly IpConfig[] | undefined>()
  expectTypeOf<Result['anything']>().toEqualTypeOf<unknown>()
  expectTypeOf<IpConfig['address']>().toEqualTypeOf<string>()
})

test('isCniVersion narrows', () => {
  const text: string = '1.1.0'
  if (isCniVersion(text)) expectTypeOf(text).toEqualTypeOf<CniVersion>()
})

test('editing keeps the type of the list', () => {
  const list = parseConflist('{"name":"n","plugins":[{"type":"bridge"}]}')
  expectTypeOf(insertPlugin(list, { type: 'x' }).plugins).toExtend<PluginConf[]>()
  expectTypeOf(removePlugin(list, 'x')).toEqualTypeOf(list)
  expectTypeOf(list).toExtend<ConflistDocument>()
  // @ts-expect-error a plugin has a type
  insertPlugin(list, { name: 'x' })
})
