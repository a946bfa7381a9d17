import type { Netns } from '@cni/netns/handle'
import { CNI_VERSIONS, type NetConf, type Result } from '@cni/types'
import { describe, expectTypeOf, it } from 'vitest'
import * as classic from 'zod'
import * as z from 'zod/mini'
import { pluginMain } from '../main/plugin-main.ts'
import { runPlugin } from '../run.ts'
import { netConf } from '../schema/net-conf.ts'
import { attachmentState } from '../state/attachment-state.ts'
import { definePlugin, type Plugin } from './plugin.ts'

describe('the types of a plugin follow its definition', () => {
  it("conf is the schema's output, with the standard members", () => {
    definePlugin({
      name: 'p',
      config: netConf({ port: z.int(), mode: z._default(z.enum(['a', 'b']), 'a') }),
      add(c) {
        expectTypeOf(c.conf.port).toEqualTypeOf<number>()
        expectTypeOf(c.conf.mode).toEqualTypeOf<'a' | 'b'>()
        expectTypeOf(c.conf.name).toEqualTypeOf<string>()
        expectTypeOf(c.conf.cniVersion).toEqualTypeOf<string | undefined>()
        // @ts-expect-error: a misspelt member, although unknown ones are kept
        c.conf.prot
        // @ts-expect-error: a misspelt member of a standard one
        c.conf.dns?.nameserver
        // @ts-expect-error: members of the IPAM plugin have to be declared
        c.conf.ipam?.subnet
        return {}
      },
      del(c) {
        // @ts-expect-error: a DEL may come without a usable configuration
        c.conf.port
        expectTypeOf(c.conf?.port).toEqualTypeOf<number | undefined>()
      },
      gc: (c) => void expectTypeOf(c.conf.port).toEqualTypeOf<number>(),
      status: (c) => void expectTypeOf(c.conf.port).toEqualTypeOf<number>(),
    })
  })

  it('only declared members can be read, also names with dots', () => {
    const config = netConf({ 'example.com/zone': z.optional(z.unknown()), ipam: z.looseObject({ subnet: z.string() }) })
    definePlugin({
      name: 'p',
      config,
      add(c) {
        expectTypeOf(c.conf['example.com/zone']).toBeUnknown()
        expectTypeOf(c.conf.ipam.subnet).toBeString()
        expectTypeOf(c.conf).toEqualTypeOf<z.infer<typeof config>>()
        return {}
      },
    })
  })

  it('a configuration that rejects unknown members has none', () => {
    definePlugin({
      name: 'p',
      config: netConf({ port: z.int() }, { unknown: 'refuse' }),
      add(c) {
        expectTypeOf(c.conf.port).toEqualTypeOf<number>()
        expectTypeOf(c.conf.cniVersion).toEqualTypeOf<string | undefined>()
        // @ts-expect-error: other members are not accepted
        c.conf.other
        return {}
      },
    })
  })

  it('c.state has the type of its schema, and is undefined without one', () => {
    const mini = z.object({ mark: z._default(z.int(), 1) })
    const options = { folder: '/run/p', version: 2 }
    for (const state of [attachmentState(classic.object({ mark: classic.number() })), attachmentState(mini, options)]) {
      definePlugin({
        name: 'p',
        state,
        add(c) {
          c.state.write({ mark: 1 })
          // @ts-expect-error: the schema says a number
          c.state.write({ mark: '1' })
          expectTypeOf(c.state.read()).toEqualTypeOf<{ mark: number } | undefined>()
          return {}
        },
        // @ts-expect-error: what CHECK and DEL find is not theirs to change
        check: (c) => c.state.write({ mark: 2 }),
        del: (c) => void expectTypeOf(c.state.read()?.mark).toEqualTypeOf<number | undefined>(),
        gc: (c) => void expectTypeOf(c.state.stale()[0]?.state.mark).toEqualTypeOf<number | undefined>(),
      })
    }
    definePlugin({
      name: 'p',
      add(c) {
        // @ts-expect-error: no state is declared
        c.state.write({ mark: 1 })
        // @ts-expect-error: nor is there anything to read
        c.state.read()?.mark
        return {}
      },
    })
  })

  it('any zod 4 schema is accepted, or none', () => {
    const config = classic.z.object({ port: classic.z.number() })
    definePlugin({
      name: 'p',
      config,
      add(c) {
        expectTypeOf(c.conf).toEqualTypeOf<{ port: number }>()
        return {}
      },
    })
    definePlugin({
      name: 'p',
      add(c) {
        expectTypeOf(c.conf).toEqualTypeOf<NetConf>()
        return {}
      },
    })
  })

  it('prevResult is always defined in a chained plugin, except in DEL', () => {
    definePlugin({
      name: 'p',
      chained: true,
      add(c) {
        expectTypeOf(c.prevResult).toEqualTypeOf<Result>()
        return c.prevResult
      },
      check: (c) => void expectTypeOf(c.prevResult).toEqualTypeOf<Result>(),
      del: (c) => void expectTypeOf(c.prevResult).toEqualTypeOf<Result | undefined>(),
    })
    definePlugin({
      name: 'p',
      add(c) {
        expectTypeOf(c.prevResult).toEqualTypeOf<Result | undefined>()
        return {}
      },
    })
  })

  it('prevResult is deeply readonly', () => {
    definePlugin({
      name: 'p',
      chained: true,
      add(c) {
        // @ts-expect-error: a member
        c.prevResult.dns = {}
        // @ts-expect-error: a list
        c.prevResult.ips?.push({ address: '10.0.0.9/24' })
        // @ts-expect-error: an element of a list
        for (const each of c.prevResult.interfaces ?? []) each.mtu = 1400
        // @ts-expect-error: a list in a member
        c.prevResult.dns?.search?.sort()
        return { ...c.prevResult, ips: [...(c.prevResult.ips ?? []), { address: '10.0.0.9/24' }] }
      },
    })
  })

  it('netns is a handle, never a string, and may be undefined only in DEL', () => {
    definePlugin({
      name: 'p',
      add(c) {
        expectTypeOf(c.netns).toEqualTypeOf<Netns>()
        return {}
      },
      check: (c) => void expectTypeOf(c.netns).toEqualTypeOf<Netns>(),
      del: (c) => void expectTypeOf(c.netns).toEqualTypeOf<Netns | undefined>(),
    })
  })

  it('only ADD has undo, and it must return a result', () => {
    definePlugin({
      name: 'p',
      // @ts-expect-error: nothing is no result
      add() {},
      // @ts-expect-error: CHECK changes nothing
      check: (c) => c.undo(() => {}),
    })
    // @ts-expect-error: a plugin adds
    definePlugin({ name: 'p' })
  })

  it('an invalid definition does not compile', () => {
    const add = () => ({})
    // @ts-expect-error: no such version
    definePlugin({ name: 'p', add, versions: ['1.2.0'] })
    // @ts-expect-error: one version is no list
    definePlugin({ name: 'p', add, versions: '1.1.0' })
    definePlugin({ name: 'p', add, versions: CNI_VERSIONS })
    // @ts-expect-error: a plugin has a name
    definePlugin({ add })
    // @ts-expect-error: milliseconds are a number
    definePlugin({ name: 'p', add, timeout: '50s' })
    // @ts-expect-error: a boolean
    definePlugin({ name: 'p', add, chained: 'true' })
    // @ts-expect-error: no such kind
    definePlugin({ name: 'p', add, args: { POLICY: 'text' } })
    // @ts-expect-error: no such grammar
    definePlugin({ name: 'p', add, args: 'Strict' })
    // @ts-expect-error: a misspelt handler is never called
    definePlugin({ name: 'p', add, delete() {} })
    // @ts-expect-error: not a schema
    definePlugin({ name: 'p', add, config: { port: 'number' } })
    // @ts-expect-error: a function that makes none
    definePlugin({ name: 'p', add, config: () => void netConf({}) })
  })

  it('a plugin can be derived from another', () => {
    const plugin = definePlugin({ name: 'p', versions: ['1.1.0'], add: () => ({}) })
    expectTypeOf(definePlugin({ ...plugin, name: 'q' })).toEqualTypeOf(plugin)
  })

  it('every plugin is accepted by runPlugin', () => {
    const plugin = definePlugin({
      name: 'p',
      chained: true,
      config: netConf({ port: z.int() }),
      add: (c) => c.prevResult,
    })
    expectTypeOf(plugin).toExtend<Plugin>()
    expectTypeOf(runPlugin).toBeCallableWith(plugin, { env: {}, stdin: () => '' })
    expectTypeOf(pluginMain).toBeCallableWith(plugin)
  })
})
